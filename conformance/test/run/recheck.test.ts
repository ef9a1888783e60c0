/** What is said of a failure beyond the verdict: the few requests that show it, and whether they show it again. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, type Handle } from '../../../reference-server/index.ts';
import { faults } from '../../faults/index.ts';
import type { Exchange } from '../../http/exchange.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import { sentenceOf } from '../../verdict/finding.ts';
import type { Report, ReportedRequirement } from '../../verdict/report.ts';
import type { Settings } from '../../world/settings.ts';

function store(): Handle {
  return createPetStore({ keys: trialKeys }).handle;
}

function find(report: Report, id: string): ReportedRequirement {
  return report.requirements.find((requirement) => requirement.id === id)!;
}

/** A tenth of it is kept for drawn sequences. */
const budget = 300;

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
    again.slice(0, 2).map(({ request }) => request.method),
    ['POST', 'GET'],
  );
  const [created, read] = again;
  assert.is(read!.request.target, `/pets/${JSON.parse(created!.response!.body).id}`);
  const tagsOf = ({ request }: Exchange): readonly string[] => request.body?.match(/of the kit, [a-z]+/) ?? [];
  const others = exchanges.filter((exchange) => exchange !== created).flatMap(tagsOf);
  assert.not.ok(others.includes(tagsOf(created!)[0] ?? others[0]!));
});

/** Runs against a server that reads categories as doubles. */
async function roundCategories(changes: Partial<Settings>) {
  const { wrap } = faults.find(({ id }) => id === 'category-stored-rounded-to-double')!;
  const report = await runInProcess(wrap(store(), keysOfTrials), trialSettings(100, { plan: 'business', ...changes }));
  const [failure] = find(report, 'pet-category-id-kept').failures;
  const shown = report.exchanges.find(({ number }) => number === failure!.sequence![0])!;
  return { failure: failure!, body: shown.request.body! };
}

test('of a body with many hard values the ones that no failure needs are left out, and the message names what was sent', async () => {
  const { failure, body } = await roundCategories({});
  assert.is(body, '{"name":"a","categoryId":9007199254740993}');
  assert.match(sentenceOf(failure), '9007199254740993');
  assert.ok(failure.curl.length <= 300, failure.curl);
});

test('on a shared target the smaller bodies carry names of the run', async () => {
  const { body } = await roundCategories({ isDisposable: false });
  assert.match(body, /^\{"name":"cf-abc123-[0-9a-z]+","categoryId":9007199254740993(,"status":"\w+")?\}$/);
});

/** Answers creations with another name. */
function renames(change: (name: string) => string): Handle {
  const handle = store();
  return (request, now) => {
    const answer = handle(request, now);
    if (answer.status !== 201) return answer;
    const body = answer.body.replace(/(?<="name":)"(?:[^"\\]|\\.)*"/, (text) =>
      JSON.stringify(change(JSON.parse(text))),
    );
    return { ...answer, body };
  };
}

/** What the service does with names → the budget, and the longest body that may be shown. */
const shortened: readonly (readonly [string, (name: string) => string, number, number])[] = [
  ['changes one character', (name) => name.replaceAll('\u3000', ' '), 60, 40],
  ['cuts at 250 characters', (name) => [...name].slice(0, 250).join(''), 60, 300],
];

for (const [what, change, maxRequests, longest] of shortened) {
  test(`a service that ${what} is shown with what the failure needs of a name, within the budget`, async () => {
    const report = await runInProcess(renames(change), trialSettings(maxRequests, { plan: 'business' }));
    const kept = find(report, 'pet-name-kept');
    const shown = report.exchanges.find(({ number }) => number === kept.failures[0]!.sequence![0])!;
    assert.ok(shown.request.body!.length <= longest, shown.request.body);
    assert.is(kept.recheck, 'fails-again');
    assert.ok(report.requests <= maxRequests);
  });
}

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
  assert.ok(checks.has('drawn-sequences'));
});

test.run();
