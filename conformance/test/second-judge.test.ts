/** A second judge that shares no code with ours: Prism's validator reads the same exchanges by openapi.yaml. */

import { createRequire } from 'node:module';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { levelOf } from '../../spec/requirements.ts';
import { faults } from '../faults/index.ts';
import { isDocumented } from '../http/documented.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Wrap } from '../services/wraps.ts';
import { judged } from './run/bench.ts';

interface HttpOperation {
  readonly method: string;
  readonly path: string;
}

type Either = { readonly _tag: 'Left'; readonly left: readonly { message: string }[] } | { readonly _tag: 'Right' };

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

/** What a run finds, and whether the second judge complains about an answer that the interface documents. */
async function judgeBoth(maxRequests: number, wrap: Wrap = (handle) => handle) {
  const { report, exchanges } = await judged({ wrap }, maxRequests, { plan: 'business' });
  const complaints = exchanges.filter(isDocumented).flatMap((exchange) => complaintOf(exchange) ?? []);
  return { exitCode: report.exitCode, complaints };
}

test('both judges find nothing in the answers of the reference server', async () => {
  assert.equal(await judgeBoth(300), { exitCode: 0, complaints: [] });
});

test('whatever the second judge complains about fails the run', async () => {
  let seen = 0;
  // What breaks an advised requirement only warns.
  const required = faults.filter((fault) => levelOf(fault.breaks[0]) === 'required');
  for (const { id, wrap } of required.filter((_fault, at) => at % 12 === 0)) {
    const { exitCode, complaints } = await judgeBoth(40, wrap);
    if (complaints.length > 0) assert.is(exitCode, 1, `${id}: ${complaints[0]}`);
    seen += Number(complaints.length > 0);
  }
  assert.ok(seen >= 5, String(seen));
});

test.run();
