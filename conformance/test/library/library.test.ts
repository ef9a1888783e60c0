/** What a program gets: judge(), and one test for each requirement with any runner of tests. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { registerTests } from '../../library/conformance-tests.ts';
import { conformanceTests, type JudgeOptions, judge, render, requirements, UsageError } from '../../library/index.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import { type OtherServerOptions, startOtherServer } from '../other-server.ts';

async function withOther<Result>(
  other: OtherServerOptions,
  use: (options: JudgeOptions) => Promise<Result>,
): Promise<Result> {
  const { baseUrl, key, server } = await startOtherServer(other);
  try {
    return await use({ baseUrl, apiKey: key, today: new Date('2026-11-21') });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const judgeOther = (options: JudgeOptions, other: OtherServerOptions = {}) =>
  withOther(other, (own) => judge({ ...own, ...options }));

const withoutMessage: OtherServerOptions = {
  breaks: (answer) => {
    answer.body = answer.body.replaceAll('"message"', '"text\\u001b"');
  },
};

test('without an address the embedded server is judged, and nothing is printed', async () => {
  const { write } = process.stdout;
  const printed: unknown[] = [];
  process.stdout.write = (text) => printed.push(text) > 0;
  const report = await judge({ maxRequests: 60 }).finally(() => {
    process.stdout.write = write;
  });
  assert.equal([report.verdict, report.requests, printed], ['conforms', 60, []]);
  assert.is(report.settings.isDisposable, true, 'nobody else depends on it');
});

test('a broken sentence fails in the report, and the report is rendered by name', async () => {
  const report = await judgeOther({ maxRequests: 60, seed: 7 }, withoutMessage);
  assert.equal([report.verdict, report.exitCode, report.seed], ['does-not-conform', 1, 7]);
  assert.is(report.requirements.find(({ id }) => id === 'error-message')?.verdict, 'fail');
  assert.match(render(report, 'html'), /<html/);
  assert.equal(JSON.parse(render(report, 'json')), JSON.parse(JSON.stringify(report)));
});

test('only the requirements of `only` are judged, and a waiver of a list is applied', async () => {
  const waiver = { id: 'error-message', reason: 'fixed in 2.0', owner: 'pets team', expires: '2026-12-31' } as const;
  const report = await judgeOther({ only: ['error-message', '4.3'], waivers: [waiver] }, withoutMessage);
  const ids = report.requirements.map(({ id }) => id);
  assert.equal(ids, ['error-message', 'get-answer', 'get-not-found', 'get-id-not-int64']);
  assert.equal([report.requirements[0]?.waiver?.state, report.exitCode], ['waived', 0]);
});

test('a header is named in the report, and reading only creates nothing', async () => {
  const options = { headers: { 'X-Gateway': 'blue' }, isReadOnly: true, maxRequests: 30 };
  const report = await judgeOther(options);
  assert.equal([report.created.length, report.settings.gatewayHeaders], [0, ['x-gateway']]);
});

test('a signal ends the run, and the report says so', async () => {
  const stop = new AbortController();
  let asked = 0;
  const breaks = (): void => {
    asked += 1;
    if (asked === 5) stop.abort();
  };
  const report = await judgeOther({ signal: stop.signal }, { breaks });
  assert.equal([report.verdict, report.requests < 60], ['inconclusive', true]);
  assert.match(reasonInWords(report.reason) ?? '', /interrupted/);
});

const address = { baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'some-key' };

const refused: readonly (readonly [JudgeOptions | Record<string, unknown>, RegExp])[] = [
  [{ baseUrl: 'nowhere' }, /^baseUrl must be an address of http/],
  [{ baseUrl: address.baseUrl }, /^apiKey is not set/],
  [{ ...address, maxRequest: 60 }, /^There is no option maxRequest\.$/],
  [{ ...address, reporters: 'json' }, /^There is no option reporters\.$/],
  [{ ...address, settleMs: -1 }, /^settleMs takes a whole number from 0 to 3600000, not "-1"\.$/],
  [{ ...address, headers: null }, /^headers takes 'Name: value' in one line/],
  [{ ...address, categoryIds: [2 ** 60] }, /^categoryIds has lost digits of 1152921504606847000: give a bigint\.$/],
  [{ ...address, today: new Date('never') }, /^today takes a date/],
  [{ ...address, waivers: [{ id: 'no-such' }] }, /^Waiver 1 in waivers names no requirement/],
];

test('an option that cannot be used is refused before any request', async () => {
  for (const [options, sentence] of refused) {
    const error = await judge(options as JudgeOptions).catch((thrown: unknown) => thrown);
    assert.instance(error, UsageError, sentence.source);
    assert.match((error as Error).message, sentence);
    assert.not.match((error as Error).message, 'some-key');
  }
});

interface Registered {
  readonly title: string;
  /** What a test that failed says; undefined for one that was skipped. */
  readonly failure?: string | undefined;
}

/** A runner that runs what it is given at once. */
function createRunner() {
  const registered: Registered[] = [];
  const run = (title: string, body: () => void): void => {
    try {
      body();
      registered.push({ title, failure: '' });
    } catch (error) {
      registered.push({ title, failure: (error as Error).message });
    }
  };
  const skip = (title: string): void => void registered.push({ title });
  return { registered, test: Object.assign(run, { skip }) };
}

async function testOther(options: JudgeOptions, other: OtherServerOptions = {}) {
  const runner = createRunner();
  const report = await withOther(other, (own) =>
    conformanceTests({ test: runner.test, maxRequests: 60, ...own, ...options }),
  );
  const { registered } = runner;
  const failed = registered.filter(({ failure }) => failure);
  const skipped = registered.filter(({ failure }) => failure === undefined).map(({ title }) => title);
  return { report, registered, failed, skipped };
}

const waiver = { id: 'error-message', reason: 'fixed in 2.0', owner: 'pets team' } as const;

test('a requirement that holds passes, and one that was not judged is skipped with its reason in the title', async () => {
  const { report, registered, skipped } = await testOther({});
  assert.is(registered.length, requirements.length + 1);
  assert.equal(registered[0], { title: 'the run came to a verdict', failure: '' });
  const passed = registered.filter(({ failure }) => failure === '').length;
  assert.is(passed - 1, report?.requirements.filter(({ verdict }) => verdict === 'pass').length);
  assert.is(skipped.length + passed, registered.length);
  const reasoned = /^§8 rate-exceeded: A request .*\(skipped: set PETSTORE_RATE_LIMIT_KEY /;
  assert.ok(skipped.some((title) => reasoned.test(title)));
});

test('a broken requirement fails with the received value and a curl line, and a waived one is skipped until it expires', async () => {
  const broken = await testOther({}, withoutMessage);
  const title = '§2 error-message: Every Error carries a message, a string.';
  assert.equal(
    broken.failed.map((one) => one.title),
    [title],
  );
  const message = /^message-missing: expected message in the Error of the \d{3}: a string, received .*\ncurl -i /;
  assert.match(broken.failed[0]!.failure!, message);
  const waived = await testOther({ waivers: [{ ...waiver, expires: '2026-11-21' }] }, withoutMessage);
  const said = '(fail: waived until 2026-11-21, fixed in 2.0: expected message';
  assert.ok(waived.skipped.some((one) => one.includes(said)));
  const expired = await testOther({ waivers: [{ ...waiver, expires: '2026-11-20' }] }, withoutMessage);
  assert.is(expired.failed.length, 1);
  assert.match(expired.failed[0]!.failure!, /^the waiver expired on 2026-11-20: remove or renew it\nmessage-missing: /);
});

test('text from a target reaches no terminal unescaped, neither in a failure nor in the title of a waived test', async () => {
  const hostile: OtherServerOptions = {
    breaks: (answer) => {
      if (answer.status === 404) answer.headers['Content-Type'] = 'text/plain\x9b2J';
    },
  };
  const failing = await testOther({}, hostile);
  const waived = await testOther({ waivers: [{ ...waiver, id: 'service-json', expires: '2026-12-31' }] }, hostile);
  for (const texts of [failing.failed.map(({ failure }) => failure ?? ''), waived.skipped]) {
    assert.ok(texts.some((text) => text.includes('text/plain\\u009b2J')));
    assert.not.match(texts.join(''), '\x9b');
  }
});

test('a stale waiver fails nothing, a check that broke does, and so do a run without a verdict and a wrong option', async () => {
  const stale = await testOther({ waivers: [{ ...waiver, expires: '2026-12-31' }] });
  assert.equal(stale.failed, []);
  const report = await judge({ only: ['error-message'] });
  const runner = createRunner();
  const broken = report.requirements.map((one) => ({ ...one, verdict: 'error' as const, reason: 'TypeError: oh' }));
  await registerTests(runner.test, Promise.resolve({ ...report, requirements: broken }));
  assert.is(runner.registered[1]?.failure, 'a check of the kit broke: TypeError: oh');
  const unjudged = await testOther({ requiresAll: true });
  assert.match(unjudged.registered[0]!.failure!, /could not be judged/);
  const wrong = await testOther({ only: ['4.9'] });
  assert.equal([wrong.report, wrong.registered.length], [undefined, 1]);
  assert.match(wrong.failed[0]!.failure!, /^only 4\.9 matches no requirement/);
});

test.run();
