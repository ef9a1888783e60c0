/** What a suite of a user's own gets: one test for the run and one for each requirement, with any runner. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { registerTests } from '../../library/conformance-tests.ts';
import { conformanceTests, type JudgeOptions, judge, requirements } from '../../library/index.ts';
import { type OtherServerOptions, startOtherServer } from '../other-server.ts';

interface Registered {
  readonly title: string;
  readonly outcome: 'passed' | 'skipped' | Error;
}

/** What a test that failed says. */
function messageOf(registered: Registered | undefined): string {
  return registered?.outcome instanceof Error ? registered.outcome.message : `no failure: ${registered?.title}`;
}

function outcomeOf(run: () => void): Registered['outcome'] {
  try {
    run();
    return 'passed';
  } catch (error) {
    return error as Error;
  }
}

/** A runner that runs what it is given at once. */
function createRunner() {
  const registered: Registered[] = [];
  const run = (title: string, body: () => void): void => {
    registered.push({ title, outcome: outcomeOf(body) });
  };
  const skip = (title: string): void => void registered.push({ title, outcome: 'skipped' });
  return { registered, test: Object.assign(run, { skip }) };
}

async function testOther(options: JudgeOptions, other: OtherServerOptions = {}) {
  const { baseUrl, key, server } = await startOtherServer(other);
  const runner = createRunner();
  try {
    const report = await conformanceTests({
      test: runner.test,
      baseUrl,
      apiKey: key,
      maxRequests: 60,
      today: new Date('2026-11-21'),
      ...options,
    });
    return { report, registered: runner.registered };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const withoutMessage: OtherServerOptions = {
  breaks: (answer) => {
    answer.body = answer.body.replaceAll('"message"', '"text\\u001b"');
  },
};

test('a requirement that holds passes, and one that was not judged is skipped with its reason in the title', async () => {
  const { report, registered } = await testOther({});
  assert.is(registered.length, requirements.length + 1);
  assert.equal(registered[0], { title: 'the run came to a verdict', outcome: 'passed' });
  const passed = registered.filter(({ outcome }) => outcome === 'passed').length;
  assert.is(passed - 1, report?.requirements.filter(({ verdict }) => verdict === 'pass').length);
  const skipped = registered.filter(({ outcome }) => outcome === 'skipped').map(({ title }) => title);
  assert.is(skipped.length + passed, registered.length);
  assert.ok(
    skipped.some((title) => /^§8 rate-exceeded: A request .*\(skipped: set PETSTORE_RATE_LIMIT_KEY /.test(title)),
  );
});

test('a broken requirement fails with the received value and a curl line, and nothing invisible reaches a terminal', async () => {
  const { registered } = await testOther({}, withoutMessage);
  const failed = registered.filter(({ outcome }) => outcome instanceof Error);
  assert.equal(
    failed.map(({ title }) => title),
    ['§2 error-message: Every Error carries a message, a string.'],
  );
  const message = messageOf(failed[0]);
  assert.match(
    message,
    /^message-missing: expected message in the Error of the \d{3}: a string, received .*\ncurl -i /,
  );
  assert.not.match(message, '\x1b');
});

test('a waived failure is skipped and says so, an expired waiver fails', async () => {
  const waiver = { id: 'error-message', reason: 'fixed in 2.0', owner: 'pets team' } as const;
  const waived = await testOther({ waivers: [{ ...waiver, expires: '2026-11-21' }] }, withoutMessage);
  const titles = waived.registered.filter(({ outcome }) => outcome === 'skipped').map(({ title }) => title);
  assert.ok(titles.some((title) => title.includes('(fail: waived until 2026-11-21, fixed in 2.0: expected message')));
  const expired = await testOther({ waivers: [{ ...waiver, expires: '2026-11-20' }] }, withoutMessage);
  const errors = expired.registered.flatMap(({ outcome }) => (outcome instanceof Error ? [outcome.message] : []));
  assert.is(errors.length, 1);
  assert.match(errors[0] ?? '', /^the waiver expired on 2026-11-20: remove or renew it\nmessage-missing: /);
});

test('text from a target reaches no terminal unescaped, neither in a failure nor in the title of a waived test', async () => {
  const hostile: OtherServerOptions = {
    breaks: (answer) => {
      if (answer.status === 404) answer.headers['Content-Type'] = 'text/plain\x9b2J';
    },
  };
  const failing = await testOther({}, hostile);
  const messages = failing.registered.flatMap(({ outcome }) => (outcome instanceof Error ? [outcome.message] : []));
  assert.ok(messages.some((message) => message.includes('text/plain\\u009b2J')));
  const waiver = { id: 'service-json', reason: 'soon', owner: 'pets team', expires: '2026-12-31' } as const;
  const waived = await testOther({ waivers: [waiver] }, hostile);
  const titles = waived.registered.map(({ title }) => title);
  assert.ok(titles.some((title) => title.includes('text/plain\\u009b2J')));
  assert.not.match([...messages, ...titles].join(''), '\x9b');
});

test('a stale waiver fails nothing, and a check that broke does', async () => {
  const waiver = { id: 'error-message', reason: 'soon', owner: 'pets team', expires: '2026-12-31' } as const;
  const stale = await testOther({ waivers: [waiver], maxRequests: 300 });
  const failed = stale.registered.filter(({ outcome }) => outcome instanceof Error);
  assert.equal(failed.map(messageOf), []);
  const report = await judge({ only: ['error-message'] });
  const runner = createRunner();
  const broken = report.requirements.map((one) => ({ ...one, verdict: 'error' as const, reason: 'TypeError: oh' }));
  await registerTests(runner.test, Promise.resolve({ ...report, requirements: broken }));
  assert.is(messageOf(runner.registered[1]), 'a check of the kit broke: TypeError: oh');
});

test('a run that comes to no verdict fails its own test', async () => {
  const { report, registered } = await testOther({ requiresAll: true });
  assert.is(report?.verdict, 'inconclusive');
  assert.match(messageOf(registered[0]), /could not be judged/);
});

test('an option that cannot be used is the one test there is, and fails', async () => {
  const { report, registered } = await testOther({ only: ['4.9'] });
  assert.is(report, undefined);
  assert.is(registered.length, 1);
  assert.match(messageOf(registered[0]), /^only 4\.9 matches no requirement/);
});

test.run();
