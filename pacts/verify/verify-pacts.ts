/** Verifies pacts against a target. The report has a verdict for each interaction and each requirement that is shown. */

import type { VerifierOptions } from '@pact-foundation/pact-core';
import { hourMs } from '../../conformance/http/tolerances.ts';
import { RunStopped } from '../../conformance/run/pace.ts';
import { judgeWork, type RunOptions } from '../../conformance/run/run.ts';
import type { Session } from '../../conformance/run/session.ts';
import { reason, reasonInWords, reasonOf } from '../../conformance/verdict/reasons.ts';
import type { Report, ReportedInteraction } from '../../conformance/verdict/report.ts';
import { defined } from '../../spec/defined.ts';
import type { Pact } from '../pact.ts';
import type { VerifyAttempt } from './attempt.ts';
import type { Broker } from './broker.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { noOutcome, type Verifier } from './verifier.ts';

export interface VerifyOptions {
  readonly run: RunOptions;
  /** The pacts of files. */
  readonly named: readonly Pact[];
  readonly broker?: Broker;
  readonly verifier: Verifier;
}

type AttemptVerdict = Pick<ReportedInteraction, 'verdict' | 'messages' | 'isExcused'>;

/** Combines what the verifier and the gateway saw. */
export function judgeAttempt({ blockedBy, isExcused, result, exchange, excuse }: VerifyAttempt): AttemptVerdict {
  const notVerifiable = (why: string): AttemptVerdict => ({ verdict: 'not-verifiable', messages: [why] });
  if (blockedBy !== undefined) return defined({ ...notVerifiable(blockedBy), isExcused: isExcused || undefined });
  const { isPass, isPending, messages } = result!;
  if (exchange === undefined) return notVerifiable(`its request did not reach the target: ${messages[0] ?? ''}`);
  if (isPass) return { verdict: 'pass', messages: [] };
  if (excuse !== undefined) return notVerifiable(excuse);
  const why = exchange.failure && [`the target gave no answer: ${exchange.failure.message}`];
  return { verdict: isPending ? 'pending' : 'fail', messages: why ?? messages };
}

/** Where the verifier finds pacts, and whether it publishes the results. */
type Source = Partial<VerifierOptions> & { readonly provider: string };

/** Verifies the pacts of one source. */
async function verifySource(gateway: Gateway, verifier: Verifier, source: Source, signal?: AbortSignal) {
  const options: VerifierOptions = {
    providerBaseUrl: gateway.url,
    providerStatesSetupUrl: gateway.statesUrl,
    // For one answer, waits for the rate limit included.
    timeout: hourMs,
    followRedirects: false,
    logLevel: 'error',
    ...source,
  };
  const { results, errors } = source.pactUrls?.length === 0 ? noOutcome : await verifier.verify(options);
  const [error = "Pact's verifier gave no result"] = errors;
  const otherwise = reasonInWords(signal?.aborted ? reasonOf(signal) : undefined) ?? error;
  const { attempts, named } = gateway.take();
  for (const attempt of attempts) {
    attempt.result = results[named.indexOf(attempt)];
    if (attempt.result !== undefined) continue;
    attempt.blockedBy ??= otherwise.replaceAll(/https?:\/\/[^\s']+/g, attempt.pact.origin);
  }
  return { attempts, error: errors[0] };
}

/** Verifies one pact. */
export function verifyPact(gateway: Gateway, verifier: Verifier, pact: Pact, signal?: AbortSignal) {
  return verifySource(gateway, verifier, { provider: pact.provider, pactUrls: gateway.serve(pact) }, signal);
}

/** Where the verifier finds the pacts of a broker. */
function sourceAt({ brokerUrl }: Gateway, { options, pactUrls }: Broker): Source {
  if (pactUrls.length === 0) return { ...options, pactBrokerUrl: brokerUrl };
  return { ...options, pactUrls: pactUrls.map((address) => brokerUrl + address.replace(/^https?:\/\/[^/]*/, '')) };
}

/** Verifies one source after the other; rejects if the run ends early, and `reported` has the results so far. */
async function verifyAll(options: VerifyOptions, session: Session, reported: ReportedInteraction[]): Promise<void> {
  const { named, broker, verifier } = options;
  const { signal } = options.run;
  const gateway = await startGateway(session, broker);
  signal?.addEventListener('abort', verifier.close);

  function report(attempt: VerifyAttempt): ReportedInteraction {
    const { pact, interaction, exchanges } = attempt;
    return {
      consumer: pact.consumer,
      description: interaction.description,
      states: interaction.states.map(({ name }) => name),
      exchanges,
      ...judgeAttempt(attempt),
    };
  }

  const add = ({ attempts }: { readonly attempts: readonly VerifyAttempt[] }) => reported.push(...attempts.map(report));

  try {
    await gateway.preflight();
    for (const pact of named) add(await verifyPact(gateway, verifier, pact, signal));
    const ofBroker = broker && (await verifySource(gateway, verifier, sourceAt(gateway, broker), signal));
    if (ofBroker !== undefined) add(ofBroker);
    const ended = gateway.stopped();
    if (ended !== undefined) throw ended;
    // The verifier may have ended before the request that was under way.
    if (signal?.aborted) throw new RunStopped(reasonOf(signal));
    const none = ofBroker?.attempts.length === 0 ? ofBroker.error?.replace(/ in pact broker .*$/s, '') : undefined;
    const problem = gateway.relay?.problem() ?? (none && `gave no pacts: ${none}`);
    if (problem !== undefined) throw new RunStopped(reason('broker-failed', { problem }));
  } finally {
    await gateway.close();
  }
}

/** UTF-16 units. The verifier compares whole answers: the largest page, of animals with many unlisted fields fits. */
const longestAnswer = 512 * 1024;

/** Verifies pacts one after the other. The report has each interaction, and the findings of the judges. */
export function verifyPacts(options: VerifyOptions): Promise<Report> {
  const reported: ReportedInteraction[] = [];
  const verdictOptions = { requiresAll: false, ...options.run.verdictOptions, only: 'shown' } as const;
  return judgeWork(
    { ...options.run, longestBody: longestAnswer, verdictOptions },
    (session) => verifyAll(options, session, reported),
    reported,
  );
}
