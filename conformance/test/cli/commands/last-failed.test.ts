/** `run --last-failed REPORT`: what it judges, which requests go out again, and what a stranger's report cannot do. */

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Report } from '../../../verdict/report.ts';
import { type OtherServerOptions, startOtherServer } from '../../other-server.ts';
import { jumpingTime, type Result, readReport, run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const written = join(folder, 'written.json');

interface Outcome extends Result {
  readonly report: Report | undefined;
  readonly asked: readonly { readonly line: string; readonly headers: IncomingHttpHeaders }[];
  readonly baseUrl: string;
}

/** Runs against a server with the given mistake, as many options as a test needs. */
async function judge(args: readonly string[], breaks?: OtherServerOptions['breaks'], key?: string): Promise<Outcome> {
  const other = await startOtherServer(breaks === undefined ? {} : { breaks });
  const asked: { line: string; headers: IncomingHttpHeaders }[] = [];
  other.server.prependListener('request', ({ method, url, headers }) => {
    asked.push({ line: `${method} ${url}`, headers });
  });
  const words = ['run', other.baseUrl, '--reporter', `json=${written}`, '--reporter', 'terminal', ...args];
  const result = await run(words, { PETSTORE_API_KEY: key ?? other.key }, { time: jumpingTime() });
  other.server.closeAllConnections();
  other.server.close();
  return { ...result, report: result.code === 2 ? undefined : readReport(written), asked, baseUrl: other.baseUrl };
}

const upperCase: OtherServerOptions['breaks'] = (answer) => {
  answer.body = answer.body.replace(/"name":"[^"]*"/g, (name) => `"name"${name.slice(6).toUpperCase()}`);
};

function brokenIn(report: Report | undefined): readonly string[] {
  return report?.requirements.filter(({ failures }) => failures.length > 0).map(({ id }) => id) ?? [];
}

/** A report of that server, kept in a file of its own. */
async function save(name: string, change: (report: Report) => object = (report) => report): Promise<string> {
  const first = ['--max-requests', '60', '--seed', '7', '--name', 'Pet {n}', '--category-id', '4711'];
  const { code, report } = await judge(first, upperCase);
  assert.is(code, 1);
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(change(report!)));
  return file;
}

const saved = await save('saved.json');
const first = readReport(saved);

test('what failed or warned is judged again, with the seed, the names and the categories of the report', async () => {
  assert.ok(brokenIn(first).includes('pet-name-kept') && brokenIn(first).includes('list-limit-refused'));
  const { code, report, stdout } = await judge(['--last-failed', saved], upperCase);
  assert.is(code, 1);
  assert.equal(
    report?.requirements.map(({ id }) => id),
    brokenIn(first),
  );
  assert.match(stdout, /; \d+ of 53 requirements, --last-failed\)/);
  assert.equal([report?.seed, report?.settings.nameTemplate, report?.settings.categoryIds], [7, 'Pet {n}', ['4711']]);
});

test('options of the command line win over the values of the report', async () => {
  const own = ['--seed', '8', '--name', 'Dog {n}', '--category-id', '5'];
  const { report } = await judge(['--last-failed', saved, ...own], upperCase);
  assert.equal([report?.seed, report?.settings.nameTemplate, report?.settings.categoryIds], [8, 'Dog {n}', ['5']]);
});

/** The requests that show the changed names in the saved report, failure by failure. */
function savedLines(): readonly string[] {
  const { failures } = first.requirements.find(({ id }) => id === 'pet-name-kept')!;
  return failures.flatMap(({ sequence, exchanges }) =>
    (sequence ?? exchanges).map((number) => {
      const { method, target } = first.exchanges.find((one) => one.number === number)!.request;
      return `${method} /v1${target}`;
    }),
  );
}

test('with --only the saved requests of that failure are sent alone', async () => {
  const { code, report, asked } = await judge(['--last-failed', saved, '--only', 'pet-name-kept'], upperCase);
  assert.is(code, 1);
  const lines = savedLines();
  // Behind the listing of the preflight, and before what repeats them.
  assert.equal(
    asked.slice(1, 1 + lines.length).map(({ line }) => line),
    lines,
  );
  assert.ok(asked.length <= 30, `${asked.length}`);
  assert.equal(brokenIn(report), ['pet-name-kept']);
});

test('a failure that is mended ends with 0, and one that cannot be asked again with 3', async () => {
  const mended = await judge(['--last-failed', saved, '--only', 'pet-name-kept']);
  assert.is(mended.code, 0, mended.stdout);
  // The listing of the preflight, the saved requests, and nothing else.
  assert.is(mended.asked.length, 1 + savedLines().length);
  assert.match(mended.stdout, /^CONFORMS \(1 of 1 requirements pass; 1 of 53 requirements, --last-failed\)/);
  const refused = await judge(['--last-failed', saved, '--only', 'pet-name-kept'], undefined, 'another-key-of-nobody');
  assert.is(refused.code, 3);
  assert.match(refused.stdout, 'The target refused the API key with 401');
});

test('a report of a stranger decides neither where the key goes nor what else is sent', async () => {
  let visits = 0;
  const evil = createServer((_incoming, outgoing) => {
    visits += 1;
    outgoing.end();
  });
  await new Promise<void>((resolve) => evil.listen(0, '127.0.0.1', resolve));
  evil.unref();
  const address = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/v1`;
  const stranger = await save('stranger.json', (report) => {
    const settings = { ...report.settings, isDisposable: true, maxRequests: 100_000, maxCreates: 100_000 };
    const exchanges = report.exchanges.map((one) => ({
      ...one,
      request: { ...one.request, target: one.operation === 'createPet' ? '/keys' : '//evil.example/pets' },
    }));
    return { ...report, target: { ...report.target, baseUrl: address }, settings, exchanges };
  });
  for (const more of [[], ['--only', 'pet-name-kept']]) {
    const { asked, report } = await judge(['--last-failed', stranger, '--no-disposable', ...more], upperCase);
    assert.ok(
      asked.length > 0 && asked.every(({ line }) => /^(GET|POST) \/v1\/pets/.test(line)),
      JSON.stringify(asked),
    );
    const key = asked[0]!.headers.authorization!.slice('Bearer '.length);
    for (const { line, headers } of asked) {
      assert.not.match(JSON.stringify([line, { ...headers, authorization: '' }]), key);
    }
    assert.is(report?.settings.isDisposable, false);
    assert.ok((report?.requests ?? 0) <= 300);
  }
  const alone = await run(['run', '--last-failed', stranger], { PETSTORE_API_KEY: 'some-key' });
  assert.is(alone.code, 2);
  assert.is(alone.stderr, `--last-failed needs BASE_URL, since your key is sent there; the report names ${address}.\n`);
  evil.close();
  assert.is(visits, 0);
});

test('a report in which nothing fits is refused with one sentence', async () => {
  const good = join(folder, 'good.json');
  await run(['run', '--max-requests', '20', '--seed', '1', '--only', 'list-answer', '--reporter', `json=${good}`]);
  const ofClient = join(folder, 'client.json');
  const client = { command: ['npm', 'test'], services: [], worksWith: 0, ranWith: 0, reliesOn: 0 };
  writeFileSync(ofClient, JSON.stringify({ ...JSON.parse(readFileSync(good, 'utf8')), client }));
  for (const [args, sentence] of [
    [[good], /good\.json has nothing to judge again: it has no failure and no warning\.\n$/],
    [[saved, '--only', 'rate-exceeded'], /has nothing to judge again: it has failures of .*pet-name-kept.*\.\n$/],
    [[ofClient], /client\.json judges a client, not a service: run petstore-conformance client again\.\n$/],
    [['/no/such'], /cannot be read: no such file or directory \(ENOENT\)/],
    [['package.json'], /is not a report of this kit\. --reporter json=FILE writes/],
  ] as const) {
    const { code, stderr } = await run(['run', 'http://127.0.0.1:9/v1', '--last-failed', ...args], {
      PETSTORE_API_KEY: 'some-key',
    });
    assert.is(code, 2, stderr);
    assert.match(stderr, sentence);
  }
});

test.run();
