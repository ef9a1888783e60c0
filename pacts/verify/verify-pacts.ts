/** Verifies pacts against a target. The report has a verdict for each interaction and each requirement that is shown. */

import { RunStopped, reasonOf, untilStopped } from '../../conformance/run/pace.ts';
import { preflight } from '../../conformance/run/preflight.ts';
import { judgeWork, type RunOptions } from '../../conformance/run/run.ts';
import type { Session } from '../../conformance/run/session.ts';
import type { Report, ReportedInteraction } from '../../conformance/verdict/report.ts';
import { defined } from '../../spec/defined.ts';
import type { Pact } from '../pact.ts';
import { type Broker, verifyFromBroker } from './broker.ts';
import { startGateway } from './gateway.ts';
import { notVerified, pactNotVerified } from './interactions.ts';
import { startVerifier, type Verifier } from './verifier.ts';
import { verifyPact } from './verify-pact.ts';
import type { Verification } from './verify-requests.ts';

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
  readonly lint?: Verification['lint'];
}

/** Verifies one pact after the other; rejects if the run ends early, and `reported` has the results so far. */
async function verifyAll(
  { run, broker, signal, lint }: VerifyOptions,
  { pacts, unreadable }: NamedPacts,
  session: Session,
  verifier: Verifier,
  reported: ReportedInteraction[],
): Promise<void> {
  const gateway = await startGateway(session);
  const by = { gateway, verifier, signal, ...defined({ lint }) };
  const { redact } = session;
  const enter = (consumer: string): void => session.enter(redact(consumer));
  try {
    reported.push(...unreadable.map(({ message }) => pactNotVerified(message)));
    for (const pact of pacts) {
      enter(pact.consumer);
      reported.push(...(await verifyPact(pact, by)));
    }
    const requiresAll = run.verdictOptions?.requiresAll ?? false;
    const ofBroker = broker === undefined ? [] : verifyFromBroker(broker, { by, requiresAll, redact, enter });
    for await (const verified of ofBroker) reported.push(...verified);
    const ended = gateway.stopped();
    if (ended !== undefined) throw ended;
    // The verifier may have ended before the request that was under way.
    if (signal.aborted) throw new RunStopped(reasonOf(signal));
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
      const { message } = error;
      reported.push(...named.pacts.flatMap((pact) => pact.interactions.map((one) => notVerified(pact, one, message))));
    }
    throw error;
  } finally {
    if (options.verifier === undefined) verifier.close();
  }
}

/** Removes keys of the run, in case a pact contains one. */
function redacted(interaction: ReportedInteraction, redact: Session['redact']): ReportedInteraction {
  const { consumer, description, states, messages } = interaction;
  return {
    ...interaction,
    consumer: redact(consumer),
    description: redact(description),
    states: states.map(redact),
    messages: messages.map(redact),
  };
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
      interactions: () => reported.map((one) => redacted(one, redact)),
    },
  );
}
