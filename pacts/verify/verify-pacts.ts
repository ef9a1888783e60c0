/** Verifies pacts against a target: a verdict for each interaction, and for every requirement that the exchanges show. */

import type { Pact } from '../pact.ts';
import { type Broker, verifyFromBroker } from './broker.ts';
import { startGateway } from './gateway.ts';
import { notVerified } from './interactions.ts';
import {
  judgeWork,
  preflight,
  type Report,
  type ReportedInteraction,
  type RunOptions,
  RunStopped,
  type Session,
} from './kit.ts';
import { startVerifier, type Verifier } from './verifier.ts';
import { verifyPact } from './verify-pact.ts';

export type { Broker } from './broker.ts';

export interface VerifyOptions {
  readonly run: RunOptions;
  readonly pacts: readonly Pact[];
  readonly broker?: Broker;
  readonly signal: AbortSignal;
  /** One for several verifications; by default each has its own. */
  readonly verifier?: Verifier;
}

/** Verifies pact after pact; what ends the run rejects, and what was verified until then is in `reported`. */
async function verifyAll(
  { run, pacts, broker, signal }: VerifyOptions,
  session: Session,
  verifier: Verifier,
  reported: ReportedInteraction[],
): Promise<void> {
  const gateway = await startGateway(session);
  const by = { gateway, verifier, signal };
  const { redact } = session;
  const enter = (consumer: string): void => session.enter(redact(consumer));
  try {
    for (const pact of pacts) {
      enter(pact.consumer);
      reported.push(...(await verifyPact(pact, by)));
    }
    const requiresAll = run.verdictOptions?.requiresAll ?? false;
    const ofBroker = broker === undefined ? [] : verifyFromBroker(broker, { by, requiresAll, redact, enter });
    for await (const verified of ofBroker) reported.push(...verified);
    const ended = gateway.stopped();
    if (ended !== undefined) throw ended;
  } finally {
    await gateway.close();
  }
}

/** What ends the run before any interaction is told by each of them. */
async function send(options: VerifyOptions, session: Session, reported: ReportedInteraction[]): Promise<void> {
  const verifier = options.verifier ?? startVerifier();
  try {
    await preflight(session);
    await verifyAll(options, session, verifier, reported);
  } catch (error) {
    if (error instanceof RunStopped && reported.length === 0) {
      const { message } = error;
      reported.push(
        ...options.pacts.flatMap((pact) => pact.interactions.map((one) => notVerified(pact, one, message))),
      );
    }
    throw error;
  } finally {
    if (options.verifier === undefined) verifier.close();
  }
}

/** A pact is no place for a key, and may have one all the same. */
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

/** The verifier compares whole answers, UTF-16 units: a page of a hundred animals with much more than is listed. */
const longestAnswer = 512 * 1024;

/** Verifies pacts one after the other; the report has each interaction, and what the invariants find. */
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
