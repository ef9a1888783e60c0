/** Verifies a pact in process against legal services: what one of them refutes, the interface does not promise. */

import { readNewPet } from '../../conformance/http/read-request.ts';
import type { Outgoing } from '../../conformance/http/transport.ts';
import { trialSettings } from '../../conformance/proof/trial.ts';
import { createBudget } from '../../conformance/run/budget.ts';
import { createSession } from '../../conformance/run/session.ts';
import { createClock, inProcess } from '../../conformance/services/in-process.ts';
import { findService, handleOf, services as legalServices } from '../../conformance/services/index.ts';
import type { Service } from '../../conformance/services/service.ts';
import { apiKey, limitKey } from '../../conformance/services/wraps.ts';
import type { ReportedInteraction } from '../../conformance/verdict/report.ts';
import type { Pact, PactInteraction } from '../pact.ts';
import { claimsOf } from '../verify/claims.ts';
import { startGateway } from '../verify/gateway.ts';
import type { Verifier } from '../verify/verifier.ts';
import { verifySource } from '../verify/verify-pacts.ts';

/** What one service made of an interaction. */
export interface Trial {
  readonly service: Service;
  readonly result: ReportedInteraction;
}

export interface Verified {
  readonly reference: ReportedInteraction;
  /** With the services that answer its requests otherwise. */
  readonly others: readonly Trial[];
}

/**
 * Animals of others, then each answer to a gap, and then what gateways and frameworks make of a request. No list of
 * categories, since a pact has to name one, and no other day.
 */
const services: readonly Service[] = [
  findService('thirty-animals'),
  ...legalServices.filter(
    ({ id, startsAt }) => startsAt === undefined && id.includes('=') && !id.startsWith('known-categories'),
  ),
  { ...findService('status-omitted=absent'), animals: [{ name: 'Old', categoryId: 7n }] },
  ...[
    'ids-far-apart',
    'lower-case-headers',
    'filtered-pages-of-3-newest-first',
    'no-parameters-twice',
    'names-of-word-characters-else-422',
    'own-bodies-of-other-errors',
  ].map(findService),
];

/** That of the animals of states which name none: one that pacts do not use as an example. */
const plainCategory = 4_711n;
/** More than any interaction needs. */
const mostRequests = 1_000_000;

/** The category that a consumer sends, so that its creation is not refused for it. */
function categoryIn(interaction: PactInteraction): readonly bigint[] {
  const { method, path, sentText: body } = claimsOf(interaction);
  const sent = readNewPet({ request: { method, target: path, body, headers: { 'content-type': 'application/json' } } });
  return sent.kind === 'invalid' || sent.pet === undefined ? [] : [sent.pet.categoryId];
}

/** The requests that a service got, each with its answer. */
type Sent = readonly (readonly [request: Outgoing, answer: string])[];

function start(service: Service) {
  const clock = createClock();
  const answer = inProcess(handleOf(service), clock, service);
  const sent: [Outgoing, string][] = [];
  const transport = async (request: Outgoing) => {
    const response = await answer(request);
    sent.push([request, JSON.stringify([response.status, response.headers, [...response.body]])]);
    return response;
  };
  return { clock, sent, transport };
}

/** Verifies a pact of one interaction with a fresh store. */
async function verifyWith(service: Service, pact: Pact, verifier: Verifier) {
  const { clock, transport, sent } = start(service);
  const categoryIds = [plainCategory, ...categoryIn(pact.interactions[0]!)];
  const session = createSession({
    settings: trialSettings(mostRequests, { categoryIds, hasRateLimitKey: true }),
    keys: { api: apiKey, rateLimit: limitKey },
    budget: createBudget(mostRequests, mostRequests),
    runTag: '11b7ed',
    transport,
    clock,
  });
  const gateway = await startGateway(session);
  try {
    const source = { provider: pact.provider, pactUrls: [gateway.serve(pact)!] };
    const [verified] = await verifySource(gateway, verifier, new AbortController().signal, source);
    return [verified![0], sent] as const;
  } finally {
    await gateway.close();
  }
}

/** Whether a service answers some requests otherwise than they were answered. */
async function differs(service: Service, exchanges: Sent): Promise<boolean> {
  const { transport, sent } = start(service);
  for (const [at, [request, answer]] of exchanges.entries()) {
    await transport(request).catch(() => undefined);
    if (sent[at]?.[1] !== answer) return true;
  }
  return false;
}

/** Verifies an interaction against the reference server, and against each service that answers its requests otherwise. */
export async function verifyAgainstServices(
  pact: Pact,
  interaction: PactInteraction,
  verifier: Verifier,
): Promise<Verified> {
  const one = { ...pact, interactions: [interaction] };
  const [reference, sent] = await verifyWith({ id: 'reference' }, one, verifier);
  const others: Trial[] = [];
  for (const service of services) {
    if (await differs(service, sent)) others.push({ service, result: (await verifyWith(service, one, verifier))[0] });
  }
  return { reference, others };
}
