/** Verifies a pact in process against legal services: what one of them refutes, the interface does not promise. */

import type { RecordedRequest } from '../../conformance/http/exchange.ts';
import type { Outgoing } from '../../conformance/http/transport.ts';
import { trialSettings } from '../../conformance/proof/trial.ts';
import { createSession } from '../../conformance/run/session.ts';
import { createClock, inProcess } from '../../conformance/services/in-process.ts';
import { findService, handleOf, services as legalServices } from '../../conformance/services/index.ts';
import type { Service } from '../../conformance/services/service.ts';
import { apiKey, limitKey } from '../../conformance/services/wraps.ts';
import type { ReportedInteraction } from '../../conformance/verdict/report.ts';
import { fieldsOf, type Pact, type PactInteraction } from '../pact.ts';
import { startGateway } from '../verify/gateway.ts';
import type { Verifier } from '../verify/verifier.ts';
import { judgeAttempt, verifyPact } from '../verify/verify-pacts.ts';

/** What one service made of an interaction; `asked` is the request of the interaction, if the verifier could send it. */
export type Trial = Pick<ReportedInteraction, 'verdict' | 'messages'> & {
  readonly service: Service;
  readonly asked: RecordedRequest | undefined;
};

/** Left out: a pact has to choose one of these answers, such as a category, or another service refutes the same claims. */
const notLinted = /^(known-categories|id-form=large|error-codes=generic|status-omitted=(pending|sold))/;

/** A store in use, each answer to a gap, and some habits of gateways and frameworks; no service on another day. */
const lintServices: readonly Service[] = [
  findService('thirty-animals'),
  ...legalServices.filter(({ id, startsAt }) => startsAt === undefined && id.includes('=') && !notLinted.test(id)),
  { ...findService('status-omitted=absent'), animals: [{ name: 'Old', categoryId: 7n }] },
  findService('charset-named'),
  findService('limit-before-filter'),
  findService('no-parameters-twice'),
  findService('names-of-word-characters-else-422'),
  findService('own-bodies-of-other-errors'),
];

/** The category of animals of states which name none: one that pacts do not use as an example. */
const lintCategory = 4_711n;
/** More than any interaction needs. */
const mostRequests = 1_000_000;

type ComparedAnswer = readonly [status: number, headers: readonly (string | undefined)[], bytes: string];

/** A service with a fresh store, and the requests that it gets, each with what a pact can see of its answer. */
function startTrial(service: Service, { exact }: PactInteraction) {
  const clock = createClock();
  const named = Object.keys(fieldsOf(fieldsOf(exact['response'])['headers'])).map((name) => name.toLowerCase());
  const answer = inProcess(handleOf(service), clock, service);
  const sent: (readonly [Outgoing, ComparedAnswer])[] = [];
  const transport = async (request: Outgoing) => {
    const response = await answer(request);
    const headers = named.map((name) => response.headers[name]);
    sent.push([request, [response.status, headers, String(response.body)]]);
    return response;
  };
  return { service, clock, sent, transport };
}

type Started = ReturnType<typeof startTrial>;

/** Verifies a pact of one interaction. */
async function verifyWith({ service, transport, clock }: Started, pact: Pact, verifier: Verifier): Promise<Trial> {
  const session = createSession({
    settings: trialSettings(mostRequests, {
      maxCreates: mostRequests,
      categoryIds: [lintCategory],
      hasRateLimitKey: true,
    }),
    keys: { api: apiKey, rateLimit: limitKey },
    runTag: '11b7ed',
    transport,
    clock,
  });
  const gateway = await startGateway(session);
  const { attempts } = await verifyPact(gateway, verifier, pact).finally(gateway.close);
  const attempt = attempts[0]!;
  // All of these services know every category, so a refused creation is not excused. A pending interaction may fail for a
  // while, but it claims as much as any other.
  const result = attempt.result && { ...attempt.result, isPending: false };
  const { verdict, messages } = judgeAttempt({ ...attempt, excuse: undefined, result });
  return { service, verdict, messages, asked: attempt.asked };
}

/**
 * Verifies an interaction against the reference server, and then against each service that answers its requests otherwise.
 * If the reference refutes it, only services that answer with the expected status are tried.
 */
export async function verifyAgainstServices(
  pact: Pact,
  interaction: PactInteraction,
  verifier: Verifier,
): Promise<readonly [reference: Trial, ...others: Trial[]]> {
  const one = { ...pact, interactions: [interaction] };
  const reference = startTrial({ id: 'reference' }, interaction);
  const trials: [Trial, ...Trial[]] = [await verifyWith(reference, one, verifier)];
  const usual = reference.sent.map(([, answer]) => answer);
  for (const service of lintServices) {
    const { transport, sent } = startTrial(service, interaction);
    for (const [request] of reference.sent) await transport(request).catch(() => undefined);
    const answers = sent.map(([, answer]) => answer);
    if (JSON.stringify(answers) === JSON.stringify(usual)) continue;
    const hasExpectedStatus = answers.at(-1)?.[0] === interaction.status;
    if (trials[0].verdict === 'fail' && !hasExpectedStatus) continue;
    trials.push(await verifyWith(startTrial(service, interaction), one, verifier));
  }
  return trials;
}
