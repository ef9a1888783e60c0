/** What a user may configure, where, and which of them wins; waivers; and a failure that is sent again. */

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readReport, run, temporaryFolder } from '../command.ts';
import { startOtherServer } from '../other-server.ts';

const folder = temporaryFolder();
const nested = join(folder, 'services', 'pets');
mkdirSync(nested, { recursive: true });
const configuration = join(folder, 'petstore-conformance.config.yaml');

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

function rowOf(stdout: string, name: string): readonly string[] {
  const line = stdout.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return line?.split(/ {2,}/) ?? [];
}

test('the file is found upwards, the environment wins over it, the command line over both, and all is shown', async () => {
  const text = ['max-requests: 60', 'plan: free', 'seed: 5', 'category-id: [7, 9007199254740993]', 'read-only: true'];
  write('petstore-conformance.config.yaml', `${text.join('\n')}\n`);
  const args = [
    'run',
    '--print-config',
    '--seed',
    '9',
    '--header',
    'X-Gateway-Key: hidden-4711',
    '--header',
    'X-Team: pets',
  ];
  const env = { PETSTORE_PLAN: 'pro', PETSTORE_SEED: '7', PETSTORE_API_KEY: 'never-shown-4711' };
  const { code, stdout } = await run(args, env, nested);
  assert.is(code, 0);
  assert.equal(rowOf(stdout, 'max-requests').slice(1), ['60', configuration]);
  assert.equal(rowOf(stdout, 'category-id').slice(1), ['7, 9007199254740993', configuration]);
  assert.equal(rowOf(stdout, 'plan').slice(1), ['pro', 'PETSTORE_PLAN']);
  assert.equal(rowOf(stdout, 'seed').slice(1), ['9', '--seed']);
  assert.equal(rowOf(stdout, 'max-wait').slice(1), ['75', 'default']);
  assert.equal(rowOf(stdout, 'api-key').slice(1), ['(set, not shown)', 'PETSTORE_API_KEY']);
  assert.equal(rowOf(stdout, 'header')[1], 'X-Gateway-Key: (not shown), X-Team: pets');
  assert.not.match(stdout, /4711/);
});

test('a run goes by the file', async () => {
  const report = join(folder, 'by-file.json');
  write('petstore-conformance.config.yaml', `max-requests: 21\nreporter: ['json=${report}']\n`);
  const { code, stdout } = await run(['run'], {}, nested);
  assert.is(code, 0);
  assert.is(stdout, '');
  assert.is(readReport(report).requests, 21);
});

const wrongFiles: readonly (readonly [string, string, RegExp])[] = [
  ['an option that is none', 'max-request: 60', /has no option "max-request": petstore-conformance --help/],
  ['a key', 'api-key: abc', /has no option "api-key": keys come from the environment only/],
  ['a list where one value belongs', 'plan: [free, pro]', /plan in .* takes one value/],
  ['a wrong value', 'plan: gold', /plan in .*config\.yaml takes one of free, pro, business, enterprise, not "gold"/],
  ['a switch that is none', 'read-only: perhaps', /read-only in .* takes true or false/],
  ['a text instead of options', 'just words', /must hold options by name/],
  ['no YAML', 'plan: [', /is no YAML/],
];

for (const [what, text, sentence] of wrongFiles) {
  test(`a file with ${what} ends with 2 and one sentence`, async () => {
    write('petstore-conformance.config.yaml', text);
    const { code, stderr } = await run(['run'], {}, nested);
    assert.is(code, 2);
    assert.match(stderr, sentence);
    assert.is(stderr.trimEnd().split('\n').length, 1, stderr);
  });
}

test('a wrong value in the environment is told by its variable', async () => {
  const { code, stderr } = await run(['run'], { PETSTORE_MAX_REQUESTS: 'many' });
  assert.is(code, 2);
  assert.match(stderr, /^PETSTORE_MAX_REQUESTS takes a whole number/);
});

/** A server whose 404 tells another status, judged with some waivers. */
async function judgeWith(waivers: string) {
  rmSync(configuration, { force: true });
  const { baseUrl, key, server } = await startOtherServer({
    breaks: (answer) => {
      if (answer.status === 404) answer.body = answer.body.replace('"status":404', '"status":400');
    },
  });
  const [file, report] = [write('waivers.yaml', waivers), join(folder, 'waived.json')];
  const args = ['run', baseUrl, '--waivers', file, '--max-requests', '60', '--now', '2026-11-21'];
  const result = await run([...args, '--reporter', 'terminal', '--reporter', `json=${report}`], {
    PETSTORE_API_KEY: key,
  });
  return { ...result, report: result.code === 2 ? undefined : readReport(report), server, key };
}

const waiver = (id: string, expires: string): string =>
  `- id: ${id}\n  reason: fixed in 2.0\n  owner: pets team\n  expires: ${expires}\n`;

test('a waived failure does not fail the run and stays visible', async () => {
  const { code, stdout, report, server } = await judgeWith(waiver('error-status-equals', '2026-11-21'));
  server.close();
  assert.is(code, 0, stdout);
  assert.match(stdout, /~ waived {2}error-status-equals/);
  assert.match(stdout, /Waiver \(waived\) of pets team, until 2026-11-21: fixed in 2\.0/);
  const waived = report?.requirements.find(({ id }) => id === 'error-status-equals');
  assert.is(waived?.verdict, 'fail');
  assert.is(waived?.waiver?.state, 'waived');
});

test('an expired waiver fails the run, and says so', async () => {
  const { code, stdout, server } = await judgeWith(waiver('error-status-equals', '2026-11-20'));
  server.close();
  assert.is(code, 1);
  assert.match(stdout, /the waiver of error-status-equals expired on 2026-11-20: remove or renew it/);
});

test('a stale waiver fails the run, and says so', async () => {
  const list = waiver('error-status-equals', '2027-01-31') + waiver('list-limit', '2027-01-31');
  const { code, stdout, server } = await judgeWith(list);
  server.close();
  assert.is(code, 1);
  assert.match(stdout, /the waiver of list-limit is stale, the statement holds: remove it/);
});

const wrongWaivers: readonly (readonly [string, string, RegExp])[] = [
  ['an unknown id', waiver('no-such', '2027-01-31'), /names no requirement with "no-such"/],
  ['no owner', '- id: pet-id\n  reason: x\n  expires: 2027-01-31\n', /needs a text as its owner/],
  ['no day', waiver('pet-id', 'soon'), /must expire on a day/],
  ['no list', 'pet-id: x', /must hold a list of waivers/],
  ['one twice', waiver('pet-id', '2027-01-31').repeat(2), /waives pet-id twice/],
];

for (const [what, text, sentence] of wrongWaivers) {
  test(`waivers with ${what} end with 2 and one sentence`, async () => {
    const { code, stderr, server } = await judgeWith(text);
    server.close();
    assert.is(code, 2);
    assert.match(stderr, sentence);
  });
}

test('replay sends one failure again: 1 while it fails, 0 once it is mended, 3 when nobody answers', async () => {
  rmSync(configuration, { force: true });
  let isMended = false;
  const { baseUrl, key, server } = await startOtherServer({
    breaks: (answer, path) => {
      const isRead = answer.status === 200 && /\/pets\/./.test(path);
      if (isRead && !isMended) answer.body = answer.body.replace('"name":"', '"name":"other ');
    },
  });
  const file = join(folder, 'to-replay.json');
  const env = { PETSTORE_API_KEY: key };
  await run(['run', baseUrl, '--max-requests', '60', '--reporter', `json=${file}`], env);
  const again = await run(['replay', file, 'pet-name-kept'], env);
  assert.is(again.code, 1, again.stderr);
  assert.match(again.stdout, /#1 POST \/pets {2}with the API key/);
  assert.match(again.stdout, /STILL FAILS §2 pet-name-kept\n {2}name-changed: expected name /);
  assert.not.ok(again.stdout.includes(key));
  isMended = true;
  const mended = await run(['replay', file, 'pet-name-kept'], env);
  assert.is(mended.code, 0);
  assert.match(mended.stdout, /pet-name-kept does not fail any more\./);
  const other = await run(['replay', file, 'pet-id'], env);
  assert.is(other.code, 2);
  assert.match(other.stderr, /has no failure of "pet-id"; those it has: pet-name-kept/);
  server.close();
  const silent = await run(['replay', file, 'pet-name-kept'], env);
  assert.is(silent.code, 3);
  assert.match(silent.stdout, /ECONNREFUSED|unanswered|no answer/);
});

test('a read-only run with --pet-id reads that animal and creates nothing', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const created = await fetch(`${baseUrl}/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"name":"Mia","categoryId":1}',
  });
  const [, id = ''] = /"id":(-?\d+)/.exec(await created.text()) ?? [];
  const file = join(folder, 'read-only.json');
  const args = ['run', baseUrl, '--read-only', '--pet-id', id, '--max-requests', '30', '--evidence', 'all'];
  const { code } = await run([...args, '--reporter', `json=${file}`], { PETSTORE_API_KEY: key });
  server.close();
  assert.is(code, 0);
  const report = readReport(file);
  assert.is(report.creates, 0);
  assert.ok(
    report.exchanges.some(({ request, response }) => request.target === `/pets/${id}` && response?.status === 200),
  );
  assert.is(report.requirements.find((one) => one.id === 'get-answer')?.verdict, 'pass');
});

test.after(() => rmSync(folder, { recursive: true, force: true }));

test.run();
