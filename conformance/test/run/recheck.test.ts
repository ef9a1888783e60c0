/** What is said of a failure beyond the verdict: the few requests that show it, and whether they show it again. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, type Handle } from '../../../reference-server/index.ts';
import type { Exchange } from '../../http/exchange.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { keysOfTrials } from '../../sections/fault.ts';
import { faults } from '../../sections/faults.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report, ReportedRequirement } from '../../verdict/report.ts';
import type { Settings } from '../../verdict/settings.ts';

function store(): Handle {
  return createPetStore({ keys: trialKeys }).handle;
}

function find(report: Report, id: string): ReportedRequirement {
  return report.requirements.find((requirement) => requirement.id === id)!;
}

/** The systematic scenarios take some thousand requests; drawn sequences get the rest. */
const budget = 1_600;

/** Cuts names that are long and belong to animals that are sold: no example of the systematic part has both. */
function cutsLongNamesOfSold(handle: Handle): Handle {
  return (request, now) => {
    const answer = handle(request, now);
    if (answer.status !== 201 || !/"status":"sold"/.test(answer.body)) return answer;
    return { ...answer, body: answer.body.replace(/n{45,}/, (long) => long.slice(1)) };
  };
}

/** A run against the service that cuts names, and the number of the first request whose answer has a shortened name. */
async function _runWithCuts(maxRequests: number) {
  let firstCut = Number.POSITIVE_INFINITY;
  const report = await runInProcess(
    cutsLongNamesOfSold(store()),
    trialSettings(maxRequests, { plan: 'business', maxCreates: 400 }),
    {
      onExchange({ number, request, response }) {
        const [sent] = /n{45,}/.exec(request.body ?? '') ?? [];
        if (response?.status === 201 && sent !== undefined && !response.body.includes(sent))
          firstCut = Math.min(firstCut, number);
      },
    },
  );
  return { report, firstCut };
}

test('a failure that does not come again is called flaky, and fails the run all the same', async () => {
  const handle = store();
  let answered = 0;
  const report = await runInProcess(
    (request, now) => {
      answered += 1;
      const answer = handle(request, now);
      return answered === 5 ? { ...answer, headers: { ...answer.headers, 'X-RateLimit-Limit': 'many' } } : answer;
    },
    trialSettings(100, { plan: 'business' }),
  );
  const header = find(report, 'rate-limit-header');
  assert.is(header.verdict, 'fail');
  assert.is(header.recheck, 'flaky');
  assert.is(report.exitCode, 1);
});

/** Shows each animal with another name. */
function changesNames(handle: Handle): Handle {
  return (request, now) => {
    const answer = handle(request, now);
    const isRead = request.method === 'GET' && /\/pets\/\d/.test(request.target) && answer.status === 200;
    return isRead ? { ...answer, body: answer.body.replace(/"name":"/, '"name":"x') } : answer;
  };
}

test('an outage while a failure is rechecked changes nothing about it', async () => {
  const page = { status: 503, headers: { 'Content-Type': 'text/html' }, body: '<html></html>' };
  const judge = async (downFrom: number, forMs: number) => {
    const handle = changesNames(store());
    let [count, since] = [0, Number.POSITIVE_INFINITY];
    let firstRecheck = 0;
    const onExchange = ({ check, number }: Exchange): void => {
      if (check === 're-check' && firstRecheck === 0) firstRecheck = number;
    };
    const report = await runInProcess(
      (request, now) => {
        count += 1;
        if (count === downFrom) since = now;
        return now >= since && now < since + forMs ? page : handle(request, now);
      },
      trialSettings(100, { plan: 'business' }),
      { onExchange },
    );
    return { firstRecheck, failure: find(report, 'pet-name-kept'), report };
  };
  const undisturbed = await judge(0, 0);
  for (const forMs of [300, 5_000]) {
    const { failure, report } = await judge(undisturbed.firstRecheck, forMs);
    assert.equal([failure.verdict, failure.recheck], ['fail', 'fails-again']);
    assert.match(reasonInWords(report.reason) ?? '', "a gateway's 503");
  }
});

test('a failure that comes again is asked for once, with names and ids of its own', async () => {
  const exchanges: Exchange[] = [];
  const report = await runInProcess(
    changesNames(store()),
    // Long enough to be shrunk; a disposable target gets short names besides.
    trialSettings(100, { plan: 'business', nameTemplate: 'Made by a test of the kit, {n}', isDisposable: false }),
    { onExchange: (exchange) => exchanges.push(exchange) },
  );
  const kept = find(report, 'pet-name-kept');
  assert.is(kept.recheck, 'fails-again');
  const again = exchanges.filter(({ check }) => check === 're-check');
  assert.equal(
    again.map(({ request }) => request.method),
    ['POST', 'GET'],
  );
  const [created, read] = again;
  assert.is(read!.request.target, `/pets/${JSON.parse(created!.response!.body).id}`);
  const tagsOf = ({ request }: Exchange): readonly string[] => request.body?.match(/of the kit, [a-z]+/) ?? [];
  const others = exchanges.filter((exchange) => exchange !== created).flatMap(tagsOf);
  assert.not.ok(others.includes(tagsOf(created!)[0] ?? others[0]!));
});

/** Runs against a server that reads categories as doubles. */
async function _roundCategories(changes: Partial<Settings>) {
  const { wrap } = faults.find(({ id }) => id === 'category-stored-rounded-to-double')!;
  const report = await runInProcess(wrap(store(), keysOfTrials), trialSettings(100, { plan: 'business', ...changes }));
  const [failure] = find(report, 'pet-category-id-kept').failures;
  const shown = report.exchanges.find(({ number }) => number === failure!.sequence![0])!;
  return { failure: failure!, body: shown.request.body! };
}

test('a name is cut down to the characters that the failure needs', async () => {
  const handle = store();
  const report = await runInProcess(
    (request, now) => {
      const answer = handle(request, now);
      return answer.status === 201 ? { ...answer, body: answer.body.replaceAll('\u3000', ' ') } : answer;
    },
    trialSettings(300, { plan: 'business' }),
  );
  const [failure] = find(report, 'pet-name-kept').failures;
  const shown = report.exchanges.find(({ number }) => number === failure!.sequence![0])!;
  assert.match(shown.request.body!, '\u3000');
  assert.ok(shown.request.body!.length < 100, shown.request.body);
});

test('a failure that needs a key to exhaust is not rechecked', async () => {
  const handle = store();
  const report = await runInProcess(
    (request, now) => {
      const answer = handle(request, now);
      const { 'Retry-After': _gone, ...headers } = answer.headers;
      return answer.status === 429 ? { ...answer, headers } : answer;
    },
    trialSettings(300, { plan: 'business' }),
  );
  assert.is(find(report, 'rate-retry-after').recheck, 'not-asked-again');
});

test('a conforming run asks for nothing again', async () => {
  const checks = new Set<string>();
  const report = await runInProcess(store(), trialSettings(budget, { plan: 'business' }), {
    onExchange: ({ check }) => checks.add(check),
  });
  assert.is(report.exitCode, 0);
  assert.not.ok(checks.has('re-check'));
  assert.ok(checks.has('drawn'));
});

test('a run that is stopped while sequences are drawn is inconclusive', async () => {
  const handle = store();
  let isDrawn = false;
  const report = await runInProcess(
    (request, now) => {
      const answer = handle(request, now);
      return isDrawn ? { ...answer, status: 429, headers: { ...answer.headers, 'Retry-After': '1' } } : answer;
    },
    trialSettings(budget, { plan: 'business' }),
    {
      onExchange({ check }) {
        isDrawn ||= check === 'drawn';
      },
    },
  );
  assert.ok(isDrawn);
  assert.is(report.exitCode, 3);
  assert.match(reasonInWords(report.reason) ?? '', /429/);
});

test.run();
