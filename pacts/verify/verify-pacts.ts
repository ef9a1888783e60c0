/** Verifies pacts against a target. The report has a verdict for each interaction and each requirement that is shown. */

import { verifierPatienceMs } from '../../conformance/http/tolerances.ts';
import { RunStopped, reasonOf, untilStopped } from '../../conformance/run/pace.ts';
import { preflight } from '../../conformance/run/preflight.ts';
import { judgeWork, type RunOptions } from '../../conformance/run/run.ts';
import type { Session } from '../../conformance/run/session.ts';
import { reasonInWords } from '../../conformance/verdict/reasons.ts';
import type { Report, ReportedInteraction } from '../../conformance/verdict/report.ts';
import { defined } from '../../spec/defined.ts';
import type { Pact, PactInteraction } from '../pact.ts';
import type { Attempt } from './attempts.ts';
import { type Broker, createRelay } from './broker.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { type NativeOptions, type NativeResult, startVerifier, type Verifier } from './verifier.ts';

export interface NamedPacts {
  readonly pacts: readonly Pact[];
  /** Messages about files and addresses without a readable pact. */
  readonly unreadable: readonly { readonly message: string }[];
}

export interface VerifyOptions {
  readonly run: RunOptions;
  /** Reads the pacts; the run no longer waits for it once it is stopped. */
  readonly readPacts: () => Promise<NamedPacts>;
  readonly broker?: Broker;
  readonly signal: AbortSignal;
  /** Shared by several verifications; by default each starts its own. */
  readonly verifier?: Verifier;
  /** Returns what the claims of a pact add to the interface, a sentence each: what failed may be the pact. */
  readonly lint?: (pact: Pact, verifier: Verifier) => Promise<readonly string[]>;
}

type Verdict = Pick<ReportedInteraction, 'verdict' | 'messages' | 'isExcused'>;

/** The verdict of an interaction that was not verified. */
function notVerifiable(reason: string, { isExcused }: Partial<Attempt> = {}): Verdict {
  return defined({ verdict: 'not-verifiable' as const, messages: [reason], isExcused: isExcused || undefined });
}

/** Combines what the verifier and the gateway saw; `otherwise` is the reason if the verifier has no result. */
function judgeAttempt(attempt: Attempt, result: NativeResult | undefined, otherwise: string): Verdict {
  const { blockedBy, isSent, excuse, failure } = attempt;
  if (blockedBy !== undefined) return notVerifiable(blockedBy, attempt);
  if (result === undefined) return notVerifiable(otherwise);
  if (!isSent)
    return notVerifiable(`its request did not reach the target: ${result.messages[0] ?? 'it was led elsewhere'}`);
  if (result.isPass) return { verdict: 'pass', messages: [] };
  if (excuse !== undefined) return notVerifiable(excuse);
  const messages = failure === undefined ? result.messages : [`the target gave no answer: ${failure}`];
  return { verdict: result.isPending ? 'pending' : 'fail', messages };
}

/** What can be reported of an interaction before it is verified. */
function describe(
  { consumer }: Pick<Pact, 'consumer'>,
  { description, states }: Pick<PactInteraction, 'description' | 'states'>,
) {
  return { consumer, description, states: states.map(({ name }) => name) };
}

function unreadablePact(message: string): ReportedInteraction {
  const named = describe({ consumer: 'unreadable pact' }, { description: 'its interactions', states: [] });
  return { ...named, exchanges: [], ...notVerifiable(message) };
}

/** Where the verifier finds pacts, and what it makes of the results. */
type Source = Pick<NativeOptions, 'provider'> & Partial<NativeOptions>;

/** Verifies the pacts of one source, or none where nothing of them can be verified. */
export async function verifySource(
  gateway: Gateway,
  verifier: Verifier,
  signal: AbortSignal,
  source: Source | undefined,
): Promise<readonly (readonly [ReportedInteraction, Attempt])[]> {
  const outcome =
    source &&
    (await verifier.verify(
      {
        providerBaseUrl: gateway.url,
        providerStatesSetupUrl: gateway.statesUrl,
        timeout: verifierPatienceMs,
        followRedirects: false,
        logLevel: 'error',
        ...source,
      },
      signal,
    ));
  const results = [...(outcome?.results ?? [])];
  return gateway.take().map((attempt) => {
    const { pact, interaction, isLeftOut, exchanges } = attempt;
    const result = isLeftOut ? undefined : results.shift();
    // The verifier makes up a missing description.
    const isSame = result !== undefined && [result.description, ''].includes(interaction.description);
    const [error = "Pact's verifier gave no result"] = outcome?.errors ?? [];
    const otherwise = signal.aborted
      ? reasonInWords(reasonOf(signal))
      : error.replaceAll(/https?:\/\/[^\s']+/g, pact.origin);
    const verdict = judgeAttempt(attempt, isSame ? result : undefined, otherwise);
    return [{ ...describe(pact, interaction), exchanges, ...verdict }, attempt] as const;
  });
}

/** Those of a broker that is given none; the verifier asks for some. */
const usualSelectors = [{ mainBranch: true }, { deployedOrReleased: true }];

/** Where the verifier finds the pacts of a broker. */
function sourceAt({ brokerUrl }: Gateway, broker: Broker): Source {
  const { provider, pactUrls, selectors, isPendingEnabled, providerVersion, providerBranch, publishes } = broker;
  const pathOf = (address: string): string => address.replace(/^https?:\/\/[^/]*/, '');
  return defined({
    provider,
    pactUrls: pactUrls.length === 0 ? undefined : pactUrls.map((address) => brokerUrl + pathOf(address)),
    pactBrokerUrl: pactUrls.length === 0 ? brokerUrl : undefined,
    consumerVersionSelectors: selectors.length === 0 ? usualSelectors : [...selectors],
    enablePending: isPendingEnabled,
    providerVersion,
    providerVersionBranch: providerBranch,
    publishVerificationResult: publishes || undefined,
  });
}

const mostRemarks = 3;

/** Adds the remarks of lint to a failed interaction: the pact may claim more than the interface states. */
async function explain(
  reported: ReportedInteraction,
  { pact, interaction }: Attempt,
  verifier: Verifier,
  lint: VerifyOptions['lint'],
): Promise<ReportedInteraction> {
  if (lint === undefined || (reported.verdict !== 'fail' && reported.verdict !== 'pending')) return reported;
  const remarks = await lint({ ...pact, interactions: [interaction] }, verifier);
  if (remarks.length === 0) return reported;
  const [first = '', ...others] = reported.messages;
  const lines = remarks.slice(0, mostRemarks).map((remark) => `pact lint: ${remark}`);
  return { ...reported, messages: [first, ...lines, ...others], isOverclaimed: true };
}

/** Verifies one source after the other; rejects if the run ends early, and `reported` has the results so far. */
async function verifyAll(
  { run, broker, signal, lint }: VerifyOptions,
  { pacts, unreadable }: NamedPacts,
  session: Session,
  verifier: Verifier,
  reported: ReportedInteraction[],
): Promise<void> {
  const relay = broker && createRelay(broker, session.redact);
  const requiresAll = run.verdictOptions?.requiresAll ?? false;
  const gateway = await startGateway(session, defined({ requiresAll, relay: relay?.relay }));
  const verify = async (source: Source | undefined): Promise<void> => {
    const verified = await verifySource(gateway, verifier, signal, source);
    for (const [one, attempt] of verified) reported.push(await explain(one, attempt, verifier, lint));
  };
  try {
    reported.push(...unreadable.map(({ message }) => unreadablePact(message)));
    for (const pact of pacts) {
      const url = gateway.serve(pact);
      await verify(url === undefined ? undefined : { provider: pact.provider, pactUrls: [url] });
    }
    if (broker !== undefined) await verify(sourceAt(gateway, broker));
    reported.push(...(relay?.unreadable ?? []).map(unreadablePact));
    const ended = gateway.stopped();
    if (ended !== undefined) throw ended;
    // The verifier may have ended before the request that was under way.
    if (signal.aborted) throw new RunStopped(reasonOf(signal));
    relay?.check();
  } finally {
    await gateway.close();
  }
}

/** Verifies all pacts. If the run ends before the first interaction, every interaction gets the reason. */
async function send(options: VerifyOptions, session: Session, reported: ReportedInteraction[]): Promise<void> {
  const verifier = options.verifier ?? startVerifier();
  let named: NamedPacts = { pacts: [], unreadable: [] };
  try {
    named = await untilStopped(options.readPacts(), options.signal);
    await preflight(session);
    await verifyAll(options, named, session, verifier, reported);
  } catch (error) {
    if (error instanceof RunStopped && reported.length === 0) {
      const blocked = { exchanges: [], ...notVerifiable(error.message) };
      reported.push(
        ...named.pacts.flatMap((pact) => pact.interactions.map((one) => ({ ...describe(pact, one), ...blocked }))),
      );
    }
    throw error;
  } finally {
    if (options.verifier === undefined) verifier.close();
  }
}

/** UTF-16 units. The verifier compares whole answers: a page of a hundred animals with many unlisted fields fits. */
const longestAnswer = 512 * 1024;

/** Verifies pacts one after the other. The report has each interaction, and the findings of the invariants. */
export function verifyPacts(options: VerifyOptions): Promise<Report> {
  const { run } = options;
  const reported: ReportedInteraction[] = [];
  let redact: Session['redact'] = (text) => text;
  return judgeWork(
    {
      ...run,
      longestBody: longestAnswer,
      verdictOptions: { requiresAll: false, ...run.verdictOptions, only: 'shown' },
    },
    {
      send: (session) => {
        redact = session.redact;
        return send(options, session, reported);
      },
      // A pact may contain a key of the run.
      interactions: () =>
        reported.map(({ consumer, description, states, messages, ...others }) => ({
          ...others,
          consumer: redact(consumer),
          description: redact(description),
          states: states.map(redact),
          messages: messages.map(redact),
        })),
    },
  );
}
