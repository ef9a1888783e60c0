/** Verifies a pact in process against legal services: what one of them refutes, the interface does not promise. */

import type { Outgoing } from '../../conformance/http/transport.ts';
import { trialSettings } from '../../conformance/proof/trial.ts';
import { createBudget } from '../../conformance/run/budget.ts';
import { createSession } from '../../conformance/run/session.ts';
import { createClock, inProcess } from '../../conformance/services/in-process.ts';
import { findService, handleOf, services as legalServices } from '../../conformance/services/index.ts';
import type { Service } from '../../conformance/services/service.ts';
import { apiKey, limitKey } from '../../conformance/services/wraps.ts';
import type { InteractionVerdict } from '../../conformance/verdict/outcome.ts';
import type { Pact, PactInteraction } from '../pact.ts';
import type { ConsumerRequest } from '../verify/attempt.ts';
import { startGateway } from '../verify/gateway.ts';
import type { Verifier } from '../verify/verifier.ts';
import { judgeAttempt, verifySource } from '../verify/verify-pacts.ts';

/** What one service made of an interaction. */
export interface Trial {
  readonly service: Service;
  readonly verdict: InteractionVerdict;
  readonly messages: readonly string[];
  /** The request of the interaction, if the verifier could send it. */
  readonly asked: ConsumerRequest | undefined;
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

/** The category of animals of states which name none: one that pacts do not use as an example. */
const plainCategory = 4_711n;
/** More than any interaction needs. */
const mostRequests = 1_000_000;

/** A service with a fresh store, and the requests that it gets, each with its answer as text. */
function start(service: Service) {
  const clock = createClock();
  const answer = inProcess(handleOf(service), clock, service);
  const sent: (readonly [request: Outgoing, answer: string])[] = [];
  const transport = async (request: Outgoing) => {
    const response = await answer(request);
    sent.push([request, JSON.stringify([response.status, response.headers, [...response.body]])]);
    return response;
  };
  return { service, clock, sent, transport };
}

type Started = ReturnType<typeof start>;

/** Verifies a pact of one interaction. */
async function verifyWith({ service, transport, clock }: Started, pact: Pact, verifier: Verifier): Promise<Trial> {
  const session = createSession({
    settings: trialSettings(mostRequests, { categoryIds: [plainCategory], hasRateLimitKey: true }),
    keys: { api: apiKey, rateLimit: limitKey },
    budget: createBudget(mostRequests, mostRequests),
    runTag: '11b7ed',
    transport,
    clock,
  });
  const gateway = await startGateway(session);
  const source = { provider: pact.provider, pactUrls: [gateway.serve(pact)!] };
  const { tried } = await verifySource(gateway, verifier, source).finally(gateway.close);
  const { attempt, ...found } = tried[0]!;
  // Services that know some categories alone are none of these, so a refused creation is not excused.
  const { verdict, messages } = judgeAttempt({ ...found, attempt: { ...attempt, excuse: undefined } });
  return { service, verdict, messages, asked: attempt.asked };
}

/** Whether a service answers some requests otherwise than they were answered. */
async function differs({ transport, sent }: Started, others: Started['sent']): Promise<boolean> {
  for (const [at, [request, answer]] of others.entries()) {
    await transport(request).catch(() => undefined);
    if (sent[at]?.[1] !== answer) return true;
  }
  return false;
}

/** Verifies an interaction against the reference server, and then against each service that answers its requests otherwise. */
export async function verifyAgainstServices(
  pact: Pact,
  interaction: PactInteraction,
  verifier: Verifier,
): Promise<readonly [reference: Trial, ...others: Trial[]]> {
  const one = { ...pact, interactions: [interaction] };
  const reference = start({ id: 'reference' });
  const trials: [Trial, ...Trial[]] = [await verifyWith(reference, one, verifier)];
  for (const service of services) {
    if (await differs(start(service), reference.sent)) trials.push(await verifyWith(start(service), one, verifier));
  }
  return trials;
}
