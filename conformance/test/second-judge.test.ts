/** A second judge that shares no code with ours: Prism's validator reads the same exchanges by openapi.yaml. */

import { createRequire } from 'node:module';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../reference-server/index.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { faults } from '../faults/index.ts';
import { isDocumented } from '../http/documented.ts';
import type { Exchange } from '../http/exchange.ts';
import { runInProcess, trialKeys, trialSettings } from '../proof/trial.ts';
import { keysOfTrials, type Wrap } from '../services/wraps.ts';

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

interface Run {
  readonly exchanges: readonly Exchange[];
  readonly failed: readonly string[];
}

async function record(maxRequests: number, wrap: Wrap = (handle) => handle): Promise<Run> {
  const exchanges: Exchange[] = [];
  const handle = wrap(createPetStore({ keys: trialKeys }).handle, keysOfTrials);
  const onExchange = (exchange: Exchange): number => exchanges.push(exchange);
  const report = await runInProcess(handle, trialSettings(maxRequests, { plan: 'business' }), { onExchange });
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
  'reset-': 'a schema does not know what time it is, nor seconds from milliseconds',
  'refusal-with': 'the interface shows no body of a 429, so none is put before the second judge',
};

test('both judges find nothing in the answers of the reference server', async () => {
  const { exchanges, failed } = await record(300);
  const listed = exchanges.filter(isDocumented);
  assert.ok(listed.length > 200, String(listed.length));
  assert.equal(
    listed.map(complaintOf).filter((complaint) => complaint !== undefined),
    [],
  );
  assert.equal(failed, []);
});

test('an answer that breaks openapi.yaml is found by both judges, and each disagreement is explained', async () => {
  const used = new Set<string>();
  const missed: string[] = [];
  const found = faults.filter((fault) => bySchema.has(fault.breaks[0]));
  for (const [at, { id, breaks, wrap, likelihood }] of found.entries()) {
    const explanation = Object.keys(disagreements).find((part) => id.includes(part));
    // Every other one is enough: the same operators break several places.
    if (explanation === undefined && at % 2 === 1) continue;
    const { exchanges, failed } = await record(explanation === undefined ? 40 : 120, wrap);
    const theirs = exchanges.some((exchange) => isDocumented(exchange) && complaintOf(exchange) !== undefined);
    const ours = breaks.some((requirement) => failed.includes(requirement));
    if (ours !== theirs && explanation !== undefined) used.add(explanation);
    // A rare one may not show within so few requests.
    else if (ours !== theirs || (likelihood === 'ordinary' && !ours)) missed.push(id);
  }
  assert.equal(missed, []);
  assert.equal([...used].sort(), Object.keys(disagreements).sort());
});

test.run();
