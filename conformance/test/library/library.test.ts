/** What a program gets: judge(), and one test for each requirement with any runner of tests. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { registerTests } from '../../library/conformance-tests.ts';
import {
  conformanceTests,
  type JudgeOptions,
  judge,
  type Report,
  render,
  requirements,
  UsageError,
} from '../../library/index.ts';
import { reason, reasonInWords } from '../../verdict/reasons.ts';
import { type OtherServerOptions, startOtherServer } from '../other-server.ts';
import { sampleReport } from '../reporters/sample-report.ts';

async function judgeOther(options: JudgeOptions, other: OtherServerOptions = {}): Promise<Report> {
  const { baseUrl, key } = await startOtherServer(other);
  return judge({ baseUrl, apiKey: key, today: new Date('2026-11-21'), ...options });
}

const withoutMessage: OtherServerOptions = {
  breaks: (answer) => {
    answer.body = answer.body.replaceAll('"message"', '"text\\u001b"');
  },
};

test('the embedded server is judged where it is asked for by name, and nothing is printed', async () => {
  const { write } = process.stdout;
  const printed: unknown[] = [];
  process.stdout.write = (text) => printed.push(text) > 0;
  const report = await judge({ isEmbedded: true, maxRequests: 60 }).finally(() => {
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
  // An address that a variable did not hold.
  [
    { baseUrl: undefined },
    /^No base address is given, and baseUrl is one of the options: give baseUrl\. isEmbedded: true /,
  ],
  [{ apiKey: address.apiKey }, /^No base address is given, and apiKey is one of the options: /],
  [{ isEmbedded: false }, /^No base address is given: /],
  [{ ...address, maxRequest: 60 }, /^There is no option maxRequest\. Did you mean maxRequests\?$/],
  [{ ...address, readOnly: true }, /^There is no option readOnly\. Did you mean isReadOnly\?$/],
  [{ ...address, rate: 3 }, /^There is no option rate\. Did you mean ratePerMinute\?$/],
  [{ ...address, apikey: 'x' }, /^There is no option apikey\. Did you mean apiKey\?$/],
  [{ ...address, apiKey: 4711 as never }, /^apiKey takes a text\.$/],
  [{ ...address, signal: 'some-key' as never }, /^signal takes an AbortSignal\.$/],
  ['http://127.0.0.1:9/v1' as never, /^judge takes options, like \{ baseUrl, apiKey \}\.$/],
  [{ ...address, settleMs: -1 }, /^settleMs takes a whole number from 0 to 3600000, not "-1"\.$/],
  [{ ...address, categoryIds: [2 ** 60] }, /^categoryIds has lost digits of 1152921504606847000: give a bigint\.$/],
  [{ ...address, waivers: [{ id: 'no-such' }] }, /^Waiver 1 \(no-such\) in waivers names no requirement/],
];

test('an option that cannot be used is refused before any request', async () => {
  for (const [options, sentence] of refused) {
    const error = await judge(options as JudgeOptions).catch((thrown: unknown) => thrown);
    assert.instance(error, UsageError, sentence.source);
    assert.equal([(error as Error).name, error instanceof RangeError], ['UsageError', true]);
    assert.match((error as Error).message, sentence);
    assert.not.match((error as Error).message, 'some-key');
  }
});

test('a reporter that there is not, a report that is none and a missing runner are refused in a sentence', async () => {
  const refusals: readonly (readonly [act: () => unknown, sentence: RegExp])[] = [
    [
      () => render(sampleReport, 'htm' as never),
      /^There is no reporter htm: terminal, .*, waivers\. Did you mean html\?$/,
    ],
    [() => render(sampleReport, 'toString' as never), /^There is no reporter toString: /],
    [() => render({} as never, 'html'), /^render takes a report, as judge\(\) resolves with it\.$/],
    [
      () => conformanceTests({} as never),
      /^conformanceTests takes the function test of your runner, which has test\.skip\.$/,
    ],
  ];
  for (const [act, sentence] of refusals) {
    const error = await Promise.resolve()
      .then(act)
      .catch((thrown: unknown) => thrown);
    assert.instance(error, UsageError);
    assert.match((error as Error).message, sentence);
  }
});

/** A runner that runs what it is given at once: what a test that failed says, and nothing for one that was skipped. */
function createRunner() {
  const registered: { readonly title: string; readonly failure?: string }[] = [];
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

/** What is registered for the requirements of the sample report: its failure, empty where it passes, or its title. */
const registered: readonly (readonly [id: string, said: RegExp])[] = [
  ['service-json', /; Expired waiver \(pets team, until 2026-11-01\): not before 3\.0$/],
  // A stale waiver fails nothing.
  ['pet-id-unique', /^$/],
  [
    'pet-name-kept',
    /^name-changed: GET \/pets\?limit=100 → 200: expected name "Rex abc123-1", received "rex abc123-1"\n.*\ncurl -i 'http:[^\n]*\n/s,
  ],
  [
    'list-limit',
    /^§4\.1 list-limit: .* \(waived: expected at most 1 animal, received 601; Waived \(.*, until 2\d{3}-\d\d-\d\d\): .+\)$/,
  ],
  ['list-limit-refused', /\nExpired waiver \(pets team, until 2026-11-01\): not before 3\.0$/],
  ['list-complete', / \(inconclusive: the service answered .*<U\+001B>/],
  ['create-answer', /^a check threw: /],
  ['service-staging-paths', / \(not applicable: A run judges one base address/],
  ['rate-exceeded', / \(skipped: set PETSTORE_RATE_LIMIT_KEY to a key/],
];

const { interactions: _interactions, ...whole } = sampleReport;
const waiver = { reason: 'not before 3.0', owner: 'pets team', expires: '2026-11-01', state: 'expired' } as const;
const [holding, ...rest] = whole.requirements;
const sample = { ...whole, requirements: [{ ...holding!, waiver }, ...rest] };

test('each requirement is a test that passes, fails with its curl line, or is skipped with its reason in the title', async () => {
  const runner = createRunner();
  await registerTests(runner.test, Promise.resolve(sample));
  const [run, ...others] = runner.registered;
  assert.equal(run, { title: 'the run came to a verdict', failure: '' });
  assert.is(others.length, sample.requirements.length);
  for (const [id, said] of registered) {
    const { title, failure = title } = others.find((one) => one.title.includes(` ${id}: `))!;
    assert.match(failure, said, id);
  }
  // What a target or a user says reaches no terminal as it is.
  assert.not.match(others.map(({ title, failure }) => title + failure).join(''), /[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
});

test('a run without a verdict and a wrong option fail the one test of the run', async () => {
  const ended = { reason: reason('interrupted', {}), requirements: whole.requirements.slice(0, 2) };
  for (const [judging, said] of [
    [Promise.resolve({ ...sample, ...ended, verdict: 'inconclusive', exitCode: 3 } as const), /interrupted/],
    [Promise.reject(new UsageError('only 4.9 matches no requirement')), /^only 4\.9 matches no requirement/],
  ] as const) {
    const runner = createRunner();
    await registerTests(runner.test, judging);
    assert.match(runner.registered[0]?.failure ?? '', said);
  }
  const runner = createRunner();
  const report = await conformanceTests({ test: runner.test, isEmbedded: true, maxRequests: 60 });
  assert.equal([report?.verdict, runner.registered.length], ['conforms', requirements.length + 1]);
});

test.run();
