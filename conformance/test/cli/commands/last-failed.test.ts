/** `run --last-failed REPORT`: what it judges, which requests go out again, and what a stranger's report cannot do. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../../../spec/operations.ts';
import { requirements } from '../../../../spec/requirements.ts';
import { requestsOf } from '../../../cli/last-failed.ts';
import { readReport as readSaved } from '../../../cli/saved-report.ts';
import type { Report } from '../../../verdict/report.ts';
import type { OtherServerOptions } from '../../other-server.ts';
import { sampleReport } from '../../reporters/sample-report.ts';
import { judgeOther, run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();

const upperCase: OtherServerOptions = {
  breaks: (answer) => {
    answer.body = answer.body.replace(/"name":"[^"]*"/g, (name) => `"name"${name.slice(6).toUpperCase()}`);
  },
};

function brokenIn(report: Report): readonly string[] {
  return report.requirements.filter(({ failures }) => failures.length > 0).map(({ id }) => id);
}

function save(name: string, report: object): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(report));
  return file;
}

const begun = await judgeOther('--max-requests 60 --seed 7 --name Pet{n} --category-id 4711'.split(' '), upperCase);
assert.is(begun.code, 1);
const first = begun.report;
const saved = save('saved.json', first);
const savedCount = brokenIn(first).length;

test('what failed or warned is judged again, with the seed, the names and the categories of the report unless the line has others', async () => {
  assert.ok(brokenIn(first).includes('pet-name-kept') && brokenIn(first).includes('list-limit-refused'));
  const { code, report, stdout, asked } = await judgeOther(['--last-failed', saved], upperCase);
  assert.is(code, 1);
  // The saved requests come first, and then what else judges these requirements.
  // The budget is no aim: what failed is asked again, with what shows that the target is alive.
  assert.ok(asked.length > savedCount && asked.length < 60, String(asked.length));
  const judged = report.requirements.map(({ id }) => id);
  assert.equal(judged, brokenIn(first));
  assert.match(stdout, new RegExp(`; \\d+ of ${requirements.length} requirements, --last-failed\\)`));
  const chosen = ({ seed, settings }: Report) => [seed, settings.nameTemplate, settings.categoryIds];
  assert.equal(chosen(report), [7, 'Pet{n}', ['4711']]);
  const own = ['--seed', '8', '--name', 'Dog {n}', '--category-id', '5'];
  assert.equal(chosen((await judgeOther(['--last-failed', saved, ...own], upperCase)).report), [8, 'Dog {n}', ['5']]);
});

/** The requests that show the changed names in the saved report, failure by failure. */
const { failures } = first.requirements.find(({ id }) => id === 'pet-name-kept')!;
const savedLines = failures.flatMap(({ sequence, exchanges }) =>
  (sequence ?? exchanges).map((number) => {
    const { method, target } = first.exchanges.find((one) => one.number === number)!.request;
    return `${method} /v1${target}`;
  }),
);

test('with --only the saved requests of that failure are sent alone: 1 where it fails again, 0 where it is mended, 3 where it cannot be asked', async () => {
  const words = ['--last-failed', saved, '--only', 'pet-name-kept'];
  const again = await judgeOther(words, upperCase);
  assert.is(again.code, 1);
  // Behind the listing of the preflight, and before what repeats them.
  const lines = again.asked.slice(1, 1 + savedLines.length).map(({ line }) => line);
  assert.equal(lines, savedLines);
  assert.ok(again.asked.length <= 30, `${again.asked.length}`);
  assert.equal(brokenIn(again.report), ['pet-name-kept']);
  assert.ok(again.report.exchanges.some(({ check }) => check === 'last-failed'));
  const mended = await judgeOther(words);
  assert.equal([mended.code, mended.asked.length], [0, 1 + savedLines.length], mended.stdout);
  const headline = `CONFORMS (1 of 1 requirements pass; 1 of ${requirements.length} requirements, --last-failed)`;
  assert.ok(mended.stdout.startsWith(headline), mended.stdout);
  const refused = await judgeOther(words, undefined, 'another-key-of-nobody');
  assert.is(refused.code, 3);
  assert.match(refused.stdout, 'The target refused the API key with 401');
});

test('a report of a stranger decides neither where the key goes nor what else is sent', async () => {
  const baseUrl = 'http://127.0.0.1:9/v1';
  const exchanges = first.exchanges.map(({ request, ...one }) => {
    return { ...one, request: { ...request, target: one.operation === 'createPet' ? '/keys' : '//evil.example/pets' } };
  });
  const settings = { ...first.settings, isDisposable: true, maxRequests: 100_000, maxCreates: 100_000 };
  const stranger = save('stranger.json', { ...first, target: { ...first.target, baseUrl }, settings, exchanges });
  const { asked, report } = await judgeOther(['--last-failed', stranger, '--no-disposable'], upperCase);
  assert.ok(asked.length > 0);
  const key = asked[0]!.headers.authorization!.slice('Bearer '.length);
  for (const { line, headers } of asked) {
    assert.match(line, /^(GET|POST) \/v1\/(pets|no-such-path)/);
    assert.not.match(JSON.stringify([line, { ...headers, authorization: '' }]), key);
  }
  assert.equal([report.settings.isDisposable, report.requests <= 300], [false, true]);
  const alone = await run(['run', '--last-failed', stranger], { PETSTORE_API_KEY: 'some-key' });
  const sentence = `--last-failed needs BASE_URL, since your key is sent there; the report names ${baseUrl}.\n`;
  assert.equal([alone.code, alone.stderr], [2, sentence]);
});

/** Recorded requests, and whether the kit sends such ones. */
const requests: readonly (readonly [operation: Operation, lines: string, isSent: boolean])[] = [
  ['listPets', 'GET /pets?limit=5', true],
  ['getPet', 'GET /pets/7', true],
  ['createPet', 'POST /pets', true],
  ['listPets', 'GET /pets/7, GET //evil/pets, GET @evil/pets', false],
  ['getPet', 'GET /pets/.., GET /pets/%2e%2e', false],
  ['other', 'GET /pets, GET /admin, GET /no-such-path, POST /pets/7, DELETE /pets/7', false],
];

test('of a report only requests that the kit makes are sent again', () => {
  const [recorded] = sampleReport.exchanges;
  const failure = { code: 'c', expected: 'a', received: 'b', exchanges: [1], curl: '' };
  const isFound = (changes: object): boolean =>
    requestsOf({ ...sampleReport, exchanges: [{ ...recorded!, number: 1, ...changes }] }, failure).length > 0;
  for (const [operation, lines, isSent] of requests) {
    for (const line of lines.split(', ')) {
      const [method, target] = line.split(' ');
      const request = { method, target, headers: {} };
      assert.is(isFound({ operation, credentialId: 'key', request }), isSent, `${operation} ${line}`);
    }
  }
  assert.not.ok(isFound({ credentialId: 'rate-limit-key' }));
  assert.equal(requestsOf(sampleReport, { ...failure, exchanges: [4, 99] }), []);
  assert.is(requestsOf(sampleReport, { ...failure, exchanges: [4] }).length, 2, 'with its creation');
});

const client = { command: ['npm', 'test'], services: [], worksWith: 0, ranWith: 0, reliesOn: 0 };
const none = { ...first, requirements: first.requirements.filter((one) => one.failures.length === 0) };
const [gap] = sampleReport.gaps;

/** Reports, and the words behind them → why they are refused. */
const refused: readonly (readonly [report: unknown, sentence: RegExp, only?: string])[] = [
  [none, /refused\.json has nothing to judge again: it has no failure and no warning of a service\.$/],
  [first, /has nothing to judge again: it has failures of .*pet-name-kept.*\.$/, 'rate-exceeded'],
  [{ ...sampleReport, requirements: 7 }, /is not a report of format version 1: \/requirements must be array/],
  [{ ...sampleReport, formatVersion: 2 }, /is a report of format version 2, and this kit reads version 1: use a later/],
  [{ formatVersion: 2 }, /is not a report of this kit\. --reporter json=FILE writes one\.$/],
  [{ ...sampleReport, target: { baseUrl: 'http://host/v1 evil' } }, /: \/target\/baseUrl must match format "uri"\.$/],
  [{ ...sampleReport, gaps: [{ ...gap, observed: ['x: y\nid-form: large'] }] }, / is not a report of .* must /],
];

test('a report in which nothing fits, or that is none, is refused with one sentence', async () => {
  for (const [report, sentence, only] of refused) {
    const words = ['run', 'http://127.0.0.1:9/v1', '--last-failed', save('refused.json', report as object)];
    const result = await run([...words, ...(only ? ['--only', only] : [])], { PETSTORE_API_KEY: 'some-key' });
    assert.is(result.code, 2, result.stderr);
    assert.match(result.stderr.trimEnd(), sentence);
  }
});

test('the commands of a report are made anew where the key is known, and no command of a stranger is shown', async () => {
  const withoutCommands = (report: Report): unknown =>
    JSON.parse(JSON.stringify(report, (name, value) => (name === 'curl' ? undefined : value)));
  const readWith = async (curl: string, more: object = {}) => {
    const text = JSON.stringify({ ...sampleReport, ...more }, (name, value) => (name === 'curl' ? curl : value));
    const report = await readSaved(save('commands.json', JSON.parse(text)));
    return { report, commands: report.requirements.flatMap((one) => one.failures.map((failure) => failure.curl)) };
  };
  const { report, commands } = await readWith('curl -i x; touch owned');
  assert.equal(withoutCommands(report), withoutCommands(sampleReport));
  const anew =
    /^(curl -i .*'http:\/\/127\.0\.0\.1:8080\/v1\/pets.*"Authorization: Bearer \$PETSTORE_API_KEY"|petstore-conformance run BASE_URL --last-failed [\w./-]+commands\.json --only auth-invalid-key$)/;
  for (const command of commands) assert.match(command, anew);
  const command = "petstore-server --service 'list-order=newest-first'";
  assert.equal(new Set((await readWith(command, { client })).commands), new Set([command]));
  const again = "petstore-conformance client -- 'npm' 'test'";
  assert.equal(new Set((await readWith(`${command}; touch owned`, { client })).commands), new Set([again]));
});

test.run();
