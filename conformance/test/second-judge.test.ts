/** A second judge that shares no code with ours: Prism's validator reads the same exchanges by openapi.yaml. */

import { createRequire } from 'node:module';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../reference-server/index.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Fault } from '../faults/fault.ts';
import { faults } from '../faults/index.ts';
import { isDocumented } from '../http/documented.ts';
import type { Exchange } from '../http/exchange.ts';
import { runInProcess, trialKeys, trialSettings } from '../proof/trial.ts';
import { keysOfTrials } from '../services/wraps.ts';

interface HttpOperation {
  readonly method: string;
  readonly path: string;
}

type Either =
  | { readonly _tag: 'Left'; readonly left: readonly { readonly message: string }[] }
  | { readonly _tag: 'Right' };

const load = createRequire(createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js'));
// These two alone: the whole package loads the mock, with names of animals in fifty languages.
const { getHttpOperationsFromSpec } = load('@stoplight/prism-http/dist/utils/operations') as {
  getHttpOperationsFromSpec: (file: string) => Promise<readonly HttpOperation[]>;
};
const { validateOutput } = load('@stoplight/prism-http/dist/validator') as {
  validateOutput: (input: { resource: HttpOperation; element: unknown }) => Either;
};

const operations = await getHttpOperationsFromSpec(new URL('../../spec/openapi.yaml', import.meta.url).pathname);
const operationOf = {
  listPets: operations.find(({ method, path }) => method === 'get' && path === '/pets')!,
  createPet: operations.find(({ method }) => method === 'post')!,
  getPet: operations.find(({ path }) => path === '/pets/{petId}')!,
};

/** It takes the format int64 for what a double holds exactly, so every hard categoryId would be a complaint. */
const isAboutSafeIntegers = /must be [<>]= -?9007199254740991$/;

/** What the second judge says of an answer: its first complaint, or nothing. It reads what is JSON, as it must. */
function complaintOf({ operation, response }: Exchange): string | undefined {
  if (operation === 'other' || response === undefined) return undefined;
  let body: unknown;
  try {
    body = JSON.parse(response.body);
  } catch {
    return 'no JSON';
  }
  const element = { statusCode: response.status, headers: response.headers, body };
  const verdict = validateOutput({ resource: operationOf[operation], element });
  if (verdict._tag === 'Right') return undefined;
  return verdict.left.find(({ message }) => !isAboutSafeIntegers.test(message))?.message;
}

async function record(
  fault?: Fault,
  maxRequests = 300,
): Promise<{ readonly exchanges: readonly Exchange[]; readonly failed: readonly string[] }> {
  const exchanges: Exchange[] = [];
  const { handle } = createPetStore({ keys: trialKeys });
  const settings = trialSettings(maxRequests, { plan: 'business' });
  const report = await runInProcess(fault === undefined ? handle : fault.wrap(handle, keysOfTrials), settings, {
    onExchange: (exchange) => exchanges.push(exchange),
  });
  return { exchanges, failed: report.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id) };
}

/** Requirements on which openapi.yaml has as much to say as the interface. */
const bySchema: ReadonlySet<RequirementId> = new Set<RequirementId>([
  'pet-id',
  'pet-name',
  'pet-category-id',
  'pet-status',
  'error-code',
  'error-message',
  'error-status',
  'error-shape',
  'rate-limit-header',
  'rate-remaining-header',
  'rate-reset-header',
]);

/** Where the second judge sees nothing, and why: part of a fault's id → one sentence. */
const disagreements: Readonly<Record<string, string>> = {
  'beyond-int64': 'its int64 takes 2^63, since JSON.parse has made a double of it',
  'as-exponent': 'it reads 1e+3 as an integer',
  'remaining-above-limit': 'a schema cannot compare two headers',
  'limit-by-turns': 'a schema does not compare one answer with the next',
  'reset-': 'a schema does not know what time it is, nor seconds from milliseconds',
  'refusal-with': 'the interface shows no body of a 429, so none is put before the second judge',
};

const judged = await record();

test('both judges find nothing in the answers of the reference server', () => {
  const listed = judged.exchanges.filter(isDocumented);
  assert.ok(listed.length > 200, String(listed.length));
  assert.equal(
    listed.map(complaintOf).filter((complaint) => complaint !== undefined),
    [],
  );
  assert.equal(judged.failed, []);
});

const schemaFaults = faults.filter(({ breaks }) => bySchema.has(breaks[0]));
const results: { readonly id: string; readonly ours: boolean; readonly theirs: boolean }[] = [];
/** Most faults show within few requests; the others get more. */
const budgets = [40, 120];
for (const fault of schemaFaults) {
  for (const maxRequests of budgets) {
    const { exchanges, failed } = await record(fault, maxRequests);
    const theirs = exchanges.some((exchange) => isDocumented(exchange) && complaintOf(exchange) !== undefined);
    const ours = fault.breaks.some((id) => failed.includes(id));
    if (!(ours && theirs) && maxRequests !== budgets.at(-1)) continue;
    results.push({ id: fault.id, ours, theirs });
    break;
  }
}

function explanationOf(id: string): string | undefined {
  return Object.keys(disagreements).find((part) => id.includes(part));
}

test('an answer that breaks openapi.yaml is found by both judges, and each disagreement is explained', () => {
  const disagreeing = results.filter(({ ours, theirs }) => ours !== theirs).map(({ id }) => id);
  assert.ok(results.length > 100, String(results.length));
  assert.equal(
    disagreeing.filter((id) => explanationOf(id) === undefined),
    [],
  );
});

test('no explanation is left without its disagreement', () => {
  const used = new Set(results.filter(({ ours, theirs }) => ours !== theirs).map(({ id }) => explanationOf(id)));
  assert.equal(
    Object.keys(disagreements).filter((part) => !used.has(part)),
    [],
  );
});

test.run();
