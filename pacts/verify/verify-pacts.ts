/** Verifies pacts against a target. The report has a verdict for each interaction and each requirement that is shown. */

import type { VerifierOptions } from '@pact-foundation/pact-core';
import { hourMs } from '../../conformance/http/tolerances.ts';
import { judgeWork, type RunOptions } from '../../conformance/run/run.ts';
import type { Session } from '../../conformance/run/session.ts';
import { RunStopped } from '../../conformance/run/waits.ts';
import { reason, reasonInWords, reasonOf } from '../../conformance/verdict/reasons.ts';
import type { Report, ReportedInteraction } from '../../conformance/verdict/report.ts';
import { defined } from '../../spec/defined.ts';
import { type Pact, wrongRulePath } from '../pact.ts';
import type { Attempted } from './attempt.ts';
import type { Broker } from './broker.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { type NativeOutcome, type NativeResult, noOutcome, type Verifier } from './verifier.ts';

export interface VerifyOptions {
  readonly run: RunOptions;
  /** The pacts of files. */
  readonly named: readonly Pact[];
  readonly broker?: Broker;
  readonly verifier: Verifier;
}

/** An interaction with what the verifier found; undefined where it gave no result. */
export interface VerifiedAttempt extends Attempted {
  readonly result?: NativeResult | undefined;
}

type AttemptVerdict = Pick<ReportedInteraction, 'verdict' | 'messages' | 'isExcused'>;

function notVerifiable(why: string): AttemptVerdict {
  return { verdict: 'not-verifiable', messages: [why] };
}

/** What the verifier says of an expectation that it cannot compare with anything, and what that means. */
const unusableExpectations: readonly (readonly [said: RegExp, why: string])[] = [
  [/'([^']*)' is not a valid regular expression/, 'its pattern $1 is no regular expression'],
  [/()Failed to parse the expected body/, 'the body that it expects is no JSON'],
];

function whyUnusable(messages: readonly string[]): string | undefined {
  for (const [said, why] of unusableExpectations) {
    const found = messages.map((message) => said.exec(message)).find((match) => match !== null);
    if (found !== undefined) return why.replace('$1', () => `"${found[1]}"`);
  }
  return undefined;
}

/** Combines what the verifier and the gateway saw. */
export function judgeAttempt({ interaction, obstacle, result, exchange, excuse }: VerifiedAttempt): AttemptVerdict {
  if (obstacle !== undefined) return defined({ ...notVerifiable(obstacle.why), isExcused: obstacle.isExcused });
  const { isPass, isPending, messages } = result!;
  if (exchange === undefined) {
    const { method, target } = interaction.request;
    return notVerifiable(`Pact's verifier could not send its request, ${method} ${target}`);
  }
  if (isPass) return { verdict: 'pass', messages: [] };
  const unusable = whyUnusable(messages);
  if (unusable !== undefined) return notVerifiable(unusable);
  if (excuse !== undefined) return notVerifiable(excuse);
  const why = exchange.failure && [`the target gave no answer: ${exchange.failure.message}`];
  return { verdict: isPending ? 'pending' : 'fail', messages: why ?? messages };
}

/** Why the verifier gave an interaction no result, by what the pact holds: its own words are about its inner parts. */
function whyNoResult({ pact, interaction }: Attempted, { crash }: NativeOutcome, signal?: AbortSignal): string {
  if (signal?.aborted) return reasonInWords(reasonOf(signal))!;
  if (pact.plugins.length > 0) {
    return `it needs plugins of Pact, which the verifier could not load: ${pact.plugins.join(', ')}`;
  }
  if (crash !== undefined) return crash;
  const path = wrongRulePath(interaction);
  if (path !== undefined) return `the path "${path}" of one of its matching rules is wrong`;
  const { method, target } = interaction.request;
  return `Pact's verifier cannot read the interaction (${method} ${target}): does it follow the Pact specification?`;
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
  const outcome = source.pactUrls?.length === 0 ? noOutcome : await verifier.verify(options);
  const { attempts, named } = gateway.take();
  const verified = attempts.map((attempt): VerifiedAttempt => {
    const result = outcome.results[named.indexOf(attempt.name)];
    if (result !== undefined || attempt.obstacle !== undefined) return { ...attempt, result };
    return { ...attempt, obstacle: { why: whyNoResult(attempt, outcome, signal) } };
  });
  return { attempts: verified, error: outcome.crash ?? outcome.errors[0] };
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

function reportAttempt(attempt: VerifiedAttempt): ReportedInteraction {
  const { pact, interaction, exchanges } = attempt;
  return {
    consumer: pact.consumer,
    description: interaction.description,
    states: interaction.states.map(({ name }) => name),
    exchanges,
    ...judgeAttempt(attempt),
  };
}

type VerifiedSource = Awaited<ReturnType<typeof verifySource>>;

/** Why the broker failed: by its answers to the relay, or else by the words of the verifier, where it got no pact. */
function problemOfBroker({ relay }: Gateway, { attempts, error }: VerifiedSource): string | undefined {
  const known = relay?.problem();
  if (known !== undefined || attempts.length > 0 || error === undefined) return known;
  return `gave no pacts: ${error.replace(/ in pact broker .*$/s, '')}`;
}

/** Verifies one source after the other; rejects if the run ends early, and `reported` has the results so far. */
async function verifyAll(options: VerifyOptions, session: Session, reported: ReportedInteraction[]): Promise<void> {
  const { named, broker, verifier } = options;
  const { signal } = options.run;
  const gateway = await startGateway(session, broker);
  signal?.addEventListener('abort', verifier.close);
  const add = ({ attempts }: VerifiedSource) => reported.push(...attempts.map(reportAttempt));
  try {
    await gateway.preflight();
    for (const pact of named) add(await verifyPact(gateway, verifier, pact, signal));
    const ofBroker = broker && (await verifySource(gateway, verifier, sourceAt(gateway, broker), signal));
    if (ofBroker !== undefined) add(ofBroker);
    const ended = gateway.stopped();
    if (ended !== undefined) throw ended;
    // The verifier may have ended before the request that was under way.
    if (signal?.aborted) throw new RunStopped(reasonOf(signal));
    const problem = ofBroker && problemOfBroker(gateway, ofBroker);
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
