/** The one door to a run: which keys it refuses, what it hands to the run, and what it adds to the report. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RequirementId } from '../../../spec/requirements.ts';
import { TransportError } from '../../http/transport.ts';
import { isDisposable, type JudgeSettings, type Judging, judgeService, type Run } from '../../run/judge.ts';
import type { RunOptions } from '../../run/run.ts';
import { UsageError } from '../../run/usage-error.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { createClock } from '../../services/in-process.ts';
import { reasonOf } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';
import { largeBudget } from '../../world/settings.ts';

const settings: JudgeSettings = {
  categoryIds: [],
  headers: {},
  isReadOnly: false,
  concurrency: 1,
  maxWaitMs: 75_000,
  settleMs: 2_000,
  requiresAll: false,
  timeoutMs: 10_000,
  deadlineMs: 600_000,
};
const keyNames = { api: 'API_KEY', rateLimit: 'OTHER_KEY' };
const address = { ...settings, baseUrl: 'http://host.example/v1' };

/** Judges with a run that sends nothing: its options, and the report. */
async function judgedWith(judging: Partial<Judging>) {
  const seen: (RunOptions & { readonly signal: AbortSignal })[] = [];
  const made = { target: { baseUrl: 'some' }, created: ['one'], durationMs: -1 } as unknown as Report;
  const run: Run = async (options) => {
    seen.push(options);
    return made;
  };
  const { signal } = new AbortController();
  const report = await judgeService({ settings, keys: {}, keyNames, signal, run, ...judging });
  return { report, options: seen[0]! };
}

const complaintAbout = (keys: Judging['keys']): Promise<string> =>
  judgedWith({ settings: address, keys }).then(
    () => 'none',
    (error: unknown) => (error instanceof UsageError ? String(error) : 'another error'),
  );

const key = 'some-key-4711';

/** Keys, and how the sentence about them begins. */
const complaints: readonly (readonly [Judging['keys'], string])[] = [
  [{ api: key }, 'none'],
  [{ api: key, rateLimit: 'other-key-4711' }, 'none'],
  [{}, 'UsageError: API_KEY is not set: set it to the API key of the target.'],
  [{ rateLimit: key }, 'UsageError: API_KEY is not set'],
  [{ api: '' }, 'UsageError: API_KEY is empty: does the secret exist'],
  [{ api: `Bearer ${key}` }, 'UsageError: API_KEY begins with "Bearer ": set it to the key alone, since the kit'],
  [{ api: ` bearer ${key}` }, 'UsageError: API_KEY begins with "Bearer "'],
  [{ api: `Bearers${key}` }, 'none'],
  [{ api: `${key} Bearer x` }, 'UsageError: API_KEY holds a blank'],
  [{ api: `${key}\n` }, 'UsageError: API_KEY holds a line break: was it read from a file? Set it to the key alone'],
  [{ api: `${key}\r` }, 'UsageError: API_KEY holds a line break'],
  [{ api: `some ${key}` }, 'UsageError: API_KEY holds a blank or a tab: set it to the key alone'],
  [{ api: `some\t${key}` }, 'UsageError: API_KEY holds a blank'],
  [{ api: `${key}é` }, 'UsageError: API_KEY holds a character that is not visible ASCII: check how it is set'],
  [{ api: `${key}\u007f` }, 'UsageError: API_KEY holds a character'],
  [{ api: '!~' }, 'none'],
  [{ api: key, rateLimit: '' }, 'UsageError: OTHER_KEY is empty'],
  [{ api: key, rateLimit: key }, 'UsageError: OTHER_KEY must be another key than API_KEY, since the run exhausts it.'],
];

test('a key that cannot be used is refused before the first request, by its name and never by its value', async () => {
  for (const [keys, complaint] of complaints) {
    const said = await complaintAbout(keys);
    assert.ok(said.startsWith(complaint), `${JSON.stringify(keys)}: ${said}`);
    assert.not.match(said, '4711');
    if (said !== 'none') assert.match(said, /\.$/);
  }
});

test('a target is disposable on this machine alone, unless the user says otherwise', () => {
  for (const [hosts, expected] of [
    ['localhost localhost:8080 127.0.0.1 127.10.20.30 [::1]:80', true],
    ['my-localhost localhost.example 127.0.0.1.example 10.0.0.1 [::2]', false],
  ] as const) {
    for (const host of hosts.split(' ')) assert.is(isDisposable({ baseUrl: `http://${host}/v1` }), expected, host);
  }
  assert.is(isDisposable({}), true);
  assert.is(isDisposable({ baseUrl: 'http://localhost/v1', isDisposable: false }), false);
  assert.is(isDisposable({ baseUrl: 'http://host/v1', isDisposable: true }), true);
});

test('without an address the embedded server is judged, with two keys of its own, and nothing is left of it', async () => {
  const { report, options } = await judgedWith({});
  const { baseUrl, plan, hasRateLimitKey } = options.settings;
  assert.equal(
    [baseUrl, plan, options.settings.isDisposable, hasRateLimitKey],
    ['http://embedded/v1', 'business', true, true],
  );
  const { api, rateLimit } = options.keys;
  assert.match(`${api} ${rateLimit}`, /^embedded-[0-9a-f]{24} embedded-[0-9a-f]{24}$/);
  assert.is.not(api, rateLimit);
  const answer = (authorization: string) =>
    options.transport({ method: 'GET', url: 'http://embedded/v1/pets', headers: { authorization } });
  const statuses = [api, rateLimit, 'unknown'].map(async (one) => (await answer(`Bearer ${one}`)).status);
  assert.equal(await Promise.all(statuses), [200, 200, 401]);
  const before = options.clock.now();
  await options.clock.sleep(1_000_000);
  assert.is(options.clock.now() - before, 1_000_000);
  assert.equal([report.target, report.created], [{ baseUrl: 'some', isEmbedded: true }, []]);
});

test('a report holds the time that its caller waited, and is frozen', async () => {
  for (const judging of [{}, { settings: address, keys: { api: key } }]) {
    const beganAt = performance.now();
    const { report } = await judgedWith(judging);
    const mostMs = Math.ceil(performance.now() - beganAt);
    assert.ok(Number.isInteger(report.durationMs) && report.durationMs >= 0 && report.durationMs <= mostMs);
    assert.ok(Object.isFrozen(report));
  }
});

test('an address is judged with what the user gave, and its report names what is left there', async () => {
  const only = new Set<RequirementId>(['list-limit']);
  const given = { ...address, seed: 7, today: 8, maxCreates: 9, only, maxOutages: 2, isLastFailed: true };
  const onBudget = (): void => undefined;
  const { report, options } = await judgedWith({ settings: given, keys: { api: key }, watch: { onBudget } });
  assert.equal(options.settings, {
    categoryIds: [],
    headers: {},
    isReadOnly: false,
    concurrency: 1,
    maxWaitMs: 75_000,
    settleMs: 2_000,
    timeoutMs: 10_000,
    baseUrl: address.baseUrl,
    seed: 7,
    today: 8,
    maxRequests: 60,
    maxCreates: 9,
    isDisposable: false,
    hasRateLimitKey: false,
  });
  assert.equal(options.verdictOptions, { requiresAll: false, maxOutages: 2, only, isLastFailed: true });
  assert.equal([options.keys, options.suite, options.onBudget], [{ api: key }, conformanceSuite, onBudget]);
  assert.match(options.runTag, /^[0-9a-f]{6}$/);
  assert.equal([report.target, report.created], [{ baseUrl: 'some' }, ['one']]);
});

test('what the user did not give is drawn, or is now, and the budget may be raised', async () => {
  const runs = await Promise.all(
    [1, 2].map(() => judgedWith({ settings: address, keys: { api: key, rateLimit: 'o' } })),
  );
  const [one, other] = runs.map(({ options }) => options.settings);
  assert.ok(Number.isInteger(one!.seed) && one!.seed >= 0 && one!.seed < 2 ** 31);
  assert.is.not(one!.seed, other!.seed);
  assert.ok(Math.abs(one!.today - Date.now()) < 60_000);
  assert.equal([one!.hasRateLimitKey, one!.raisedBudget, 'plan' in one!], [true, largeBudget, false]);
});

test('a run ends when its caller stops it, or when its deadline has passed', async () => {
  const deadline = new AbortController();
  const interruption = new AbortController();
  const clock = createClock();
  const time = { clock: () => clock, timeout: () => deadline.signal };
  const judging = { settings: address, keys: { api: key }, time };
  for (const [stop, code] of [
    [interruption, 'interrupted'],
    [deadline, 'deadline'],
  ] as const) {
    const signal = code === 'interrupted' ? interruption.signal : new AbortController().signal;
    const { options } = await judgedWith({ ...judging, signal });
    assert.equal([options.clock, options.signal.aborted], [clock, false]);
    stop.abort();
    assert.equal([options.signal.aborted, reasonOf(options.signal).code], [true, code]);
  }
});

test('the connections of a target are closed when the run ends, and broken off when it is stopped', async () => {
  const server = createServer((request, response) => {
    // Other requests are never answered.
    if (request.url === '/v1/pets') response.end('[]');
  });
  server.keepAliveTimeout = 0;
  const closed: Promise<unknown>[] = [];
  server.on('connection', (socket: Socket) => closed.push(once(socket, 'close')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const interruption = new AbortController();
  const statuses: unknown[] = [];
  const run: Run = async ({ transport }) => {
    statuses.push((await transport({ method: 'GET', url: `${baseUrl}/pets`, headers: {} })).status);
    const pending = transport({ method: 'GET', url: `${baseUrl}/pets/7`, headers: {} });
    if (statuses.length > 1) {
      interruption.abort();
      statuses.push(await pending.catch((error: unknown) => error instanceof TransportError));
    } else pending.catch(() => undefined);
    return { target: {} } as Report;
  };
  const judging = { settings: { ...settings, baseUrl }, keys: { api: key }, run };
  await judgedWith(judging);
  await judgedWith({ ...judging, signal: interruption.signal });
  await Promise.all(closed);
  server.close();
  assert.equal([statuses, closed.length > 0], [[200, 200, true], true]);
});

test.run();
