/** Verifies pacts against a target. The report has a verdict for each interaction and each requirement that is shown. */

import type { VerifierOptions } from '@pact-foundation/pact-core';
import { verifierPatienceMs } from '../../conformance/http/tolerances.ts';
import { RunStopped, reasonOf } from '../../conformance/run/pace.ts';
import { judgeWork, type RunOptions } from '../../conformance/run/run.ts';
import type { Session } from '../../conformance/run/session.ts';
import { reason, reasonInWords } from '../../conformance/verdict/reasons.ts';
import type { Report, ReportedInteraction } from '../../conformance/verdict/report.ts';
import { defined } from '../../spec/defined.ts';
import type { Pact } from '../pact.ts';
import type { Attempt } from './attempt.ts';
import type { Broker } from './broker.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { type NativeResult, noOutcome, startVerifier, type Verifier } from './verifier.ts';

export interface NamedPacts {
  readonly pacts: readonly Pact[];
  /** Messages about files and addresses without a readable pact. */
  readonly unreadable: readonly { readonly message: string }[];
}

export interface VerifyOptions {
  readonly run: RunOptions;
  readonly named: NamedPacts;
  readonly broker?: Broker;
  readonly signal: AbortSignal;
  /** Shared by several verifications; by default each starts its own. */
  readonly verifier?: Verifier;
  /** Returns what the claims of a pact add to the interface, a sentence each: what failed may be the pact. */
  readonly lint?: (pact: Pact, verifier: Verifier) => Promise<readonly string[]>;
}

type Verdict = Pick<ReportedInteraction, 'verdict' | 'messages' | 'isExcused'>;

/** Combines what the verifier and the gateway saw; `otherwise` is the reason if the verifier has no result. */
function judgeAttempt(attempt: Attempt, result: NativeResult | undefined, otherwise: string): Verdict {
  const { blockedBy, isExcused, exchange, excuse } = attempt;
  const notVerifiable = (why: string): Verdict => ({ verdict: 'not-verifiable', messages: [why] });
  if (blockedBy !== undefined) return defined({ ...notVerifiable(blockedBy), isExcused: isExcused || undefined });
  if (result === undefined) return notVerifiable(otherwise);
  const { isPass, isPending, messages } = result;
  if (exchange === undefined)
    return notVerifiable(`its request did not reach the target: ${messages[0] ?? 'it was led elsewhere'}`);
  if (isPass) return { verdict: 'pass', messages: [] };
  const isTooDeep = messages.some((message) => message.includes('recursion limit exceeded'));
  const excused = excuse ?? (isTooDeep ? "its answer is nested too deeply for Pact's verifier" : undefined);
  if (excused !== undefined) return notVerifiable(excused);
  const why = exchange.failure && [`the target gave no answer: ${exchange.failure.message}`];
  return { verdict: isPending ? 'pending' : 'fail', messages: why ?? messages };
}

/** Where the verifier finds pacts, and what it makes of the results. */
type Source = Partial<VerifierOptions> & { readonly provider: string };

/** Verifies the pacts of one source, or none where nothing of them can be verified. */
export async function verifySource(
  gateway: Gateway,
  verifier: Verifier,
  source: Source | undefined,
  signal: AbortSignal = new AbortController().signal,
) {
  const options: VerifierOptions = {
    providerBaseUrl: gateway.url,
    providerStatesSetupUrl: gateway.statesUrl,
    timeout: verifierPatienceMs,
    followRedirects: false,
    logLevel: 'error',
    ...source,
  };
  const outcome = source === undefined ? noOutcome : await verifier.verify(options, signal);
  const results = [...outcome.results];
  const [error = "Pact's verifier gave no result"] = outcome.errors;
  const otherwise = signal.aborted ? reasonInWords(reasonOf(signal)) : error;
  const { redact } = gateway;
  const interactions = gateway.take().map((attempt) => {
    const { consumer, origin } = attempt.pact;
    const { description, states } = attempt.interaction;
    const result = attempt.isLeftOut ? undefined : results.shift();
    // The verifier makes up a missing description.
    const isSame = result !== undefined && [result.description, ''].includes(description);
    const named = otherwise.replaceAll(/https?:\/\/[^\s']+/g, origin);
    const { messages, ...verdict } = judgeAttempt(attempt, isSame ? result : undefined, named);
    const reported: ReportedInteraction = {
      // A pact may contain a key of the run.
      consumer: redact(consumer),
      description: redact(description),
      states: states.map(({ name }) => redact(name)),
      exchanges: attempt.exchanges,
      messages: messages.map(redact),
      ...verdict,
    };
    return { attempt, reported };
  });
  return { ...outcome, interactions };
}

/** Where the verifier finds the pacts of a broker. */
function sourceAt({ brokerUrl }: Gateway, { options, pactUrls }: Broker): Source {
  if (pactUrls.length === 0) return { ...options, pactBrokerUrl: brokerUrl };
  return { ...options, pactUrls: pactUrls.map((address) => brokerUrl + address.replace(/^https?:\/\/[^/]*/, '')) };
}

const mostRemarks = 3;

/** Verifies one source after the other; rejects if the run ends early, and `reported` has the results so far. */
async function verifyAll(options: VerifyOptions, session: Session, reported: ReportedInteraction[]): Promise<void> {
  const { run, named, broker, signal, lint, verifier = startVerifier() } = options;
  const requiresAll = run.verdictOptions?.requiresAll ?? false;
  const gateway = await startGateway(session, { requiresAll, broker });

  /** Adds the remarks of lint to a failed interaction: the pact may claim more than the interface states. */
  async function explain(attempt: Attempt, one: ReportedInteraction): Promise<ReportedInteraction> {
    if (lint === undefined || (one.verdict !== 'fail' && one.verdict !== 'pending')) return one;
    const remarks = await lint({ ...attempt.pact, interactions: [attempt.interaction] }, verifier);
    if (remarks.length === 0) return one;
    const [first = '', ...others] = one.messages;
    const lines = remarks.slice(0, mostRemarks).map((remark) => session.redact(`pact lint: ${remark}`));
    return { ...one, messages: [first, ...lines, ...others], isOverclaimed: true };
  }

  /** Returns why the verifier has no interactions. */
  async function verify(source: Source | undefined): Promise<string | undefined> {
    const { interactions, notices, errors } = await verifySource(gateway, verifier, source, signal);
    for (const { attempt, reported: one } of interactions) reported.push(await explain(attempt, one));
    for (const notice of notices) broker?.onNotice(notice);
    return interactions.length === 0 ? errors[0] : undefined;
  }

  try {
    const unreadable = { consumer: 'unreadable pact', description: 'its interactions', states: [], exchanges: [] };
    for (const { message } of named.unreadable) {
      reported.push({ ...unreadable, verdict: 'not-verifiable', messages: [message] });
    }
    await gateway.preflight();
    for (const pact of named.pacts) {
      const url = gateway.serve(pact);
      await verify(url === undefined ? undefined : { provider: pact.provider, pactUrls: [url] });
    }
    const missing = broker && (await verify(sourceAt(gateway, broker)));
    const ended = gateway.stopped();
    if (ended !== undefined) throw ended;
    // The verifier may have ended before the request that was under way.
    if (signal.aborted) throw new RunStopped(reasonOf(signal));
    const none = missing && `gave no pacts: ${missing.replace(/ in pact broker .*$/s, '')}`;
    const problem = gateway.relay?.problem() ?? none;
    if (problem !== undefined) throw new RunStopped(reason('broker-failed', { problem }));
  } finally {
    await gateway.close();
    if (options.verifier === undefined) verifier.close();
  }
}

/** UTF-16 units. The verifier compares whole answers: a page of a hundred animals with many unlisted fields fits. */
const longestAnswer = 512 * 1024;

/** Verifies pacts one after the other. The report has each interaction, and the findings of the judges. */
export function verifyPacts(options: VerifyOptions): Promise<Report> {
  const reported: ReportedInteraction[] = [];
  const verdictOptions = { requiresAll: false, ...options.run.verdictOptions, only: 'shown' } as const;
  return judgeWork(
    { ...options.run, longestBody: longestAnswer, verdictOptions },
    { send: (session) => verifyAll(options, session, reported), interactions: () => reported },
  );
}
