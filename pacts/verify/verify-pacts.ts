/** Verifies pacts against a target: a verdict for each interaction, and for every statement that the exchanges show. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConsumerVersionSelector } from '@pact-foundation/pact-core';
import { redactor } from '../../conformance/engine/credentials.ts';
import type { Report, ReportedInteraction } from '../../conformance/engine/report.ts';
import { judgeWork, preflight, type RunOptions } from '../../conformance/engine/run.ts';
import { RunStopped, type Session } from '../../conformance/engine/session.ts';
import type { Pact, PactInteraction } from '../pact.ts';
import { type Attempt, type Gateway, startGateway } from './gateway.ts';
import { type NativeOptions, type NativeResult, startVerifier, type Verifier } from './verifier.ts';

/** A Pact Broker, and what is asked of it. */
export interface Broker {
  readonly url: string;
  /** The name that the service has there. */
  readonly provider: string;
  readonly token?: string;
  readonly user?: { readonly name: string; readonly password: string };
  /** Which versions of consumers; those that the broker takes by itself when empty. */
  readonly selectors: readonly ConsumerVersionSelector[];
  /** Whether pacts that were never verified may fail. */
  readonly isPendingEnabled: boolean;
  /** The day from which on work in progress is verified too. */
  readonly wipSince?: string;
  readonly providerVersion?: string;
  readonly providerBranch?: string;
  readonly publishes: boolean;
}

export interface VerifyOptions {
  readonly run: RunOptions;
  readonly pacts: readonly Pact[];
  readonly broker?: Broker;
  readonly signal: AbortSignal;
  /** One for several verifications; by default each has its own. */
  readonly verifier?: Verifier;
}

/** Native code awaits each answer; a wait for a rate limit may come before it. */
const patienceMs = 3_600_000;

function told(
  result: Pick<NativeResult, 'consumer' | 'description' | 'states'>,
  verdict: ReportedInteraction['verdict'],
  messages: readonly string[],
  exchanges: readonly number[] = [],
): ReportedInteraction {
  const { consumer, description, states } = result;
  return { consumer, description, states, verdict, messages, exchanges };
}

function judgeInteraction(result: NativeResult, attempt: Attempt | undefined): ReportedInteraction {
  const exchanges = attempt?.exchanges ?? [];
  if (attempt?.hindrance !== undefined) {
    const interaction = told(result, 'not-verifiable', [attempt.hindrance], exchanges);
    return attempt.isForUser ? { ...interaction, isExcused: true } : interaction;
  }
  if (!attempt?.isAsked) {
    const why = result.messages[0] ?? 'the path leads elsewhere';
    return told(result, 'not-verifiable', [`its request did not reach the target: ${why}`], exchanges);
  }
  if (result.isPass) return told(result, 'pass', [], exchanges);
  if (attempt.excuse !== undefined) return told(result, 'not-verifiable', [attempt.excuse], exchanges);
  const unanswered = attempt?.failure === undefined ? [] : [`the target gave no answer: ${attempt.failure}`];
  const messages = unanswered.length > 0 ? unanswered : result.messages;
  return told(result, result.isPending ? 'pending' : 'fail', messages, exchanges);
}

function unverified(pact: Pact, { description, states }: PactInteraction, why: string): ReportedInteraction {
  const names = states.map(({ name }) => name);
  return told({ consumer: pact.consumer, description, states: names }, 'not-verifiable', [why]);
}

function unverifiedAll(pact: Pact, why: string): readonly ReportedInteraction[] {
  return pact.interactions.map((interaction) => unverified(pact, interaction, why));
}

/** The text of a pact without its messages, which no HTTP verifies. */
function httpOnly({ text, document, interactions }: Pact): string {
  if (interactions.every(({ isHttp }) => isHttp)) return text;
  const all = document['interactions'] as readonly unknown[];
  const { messages: _messages, ...rest } = document;
  return JSON.stringify({ ...rest, interactions: all.filter((_one, at) => interactions[at]?.isHttp) });
}

interface Verification {
  readonly session: Session;
  readonly gateway: Gateway;
  readonly verifier: Verifier;
  readonly signal: AbortSignal;
}

function optionsFor(gateway: Gateway): NativeOptions {
  return {
    providerBaseUrl: gateway.url,
    providerStatesSetupUrl: gateway.statesUrl,
    timeout: patienceMs,
    followRedirects: false,
    logLevel: 'error',
  };
}

async function verifyPact(pact: Pact, expected: readonly PactInteraction[], by: Verification) {
  const { gateway, verifier, signal } = by;
  const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-'));
  try {
    const file = join(folder, 'pact.json');
    writeFileSync(file, httpOnly(pact));
    const outcome = await verifier.verify(
      { ...optionsFor(gateway), provider: pact.provider, pactUrls: [file] },
      signal,
    );
    const attempts = gateway.take();
    return expected.map((interaction, at) => {
      const result = outcome?.results.find(
        ({ description }, place) => place === at && [description, ''].includes(interaction.description),
      );
      const why = outcome?.errors[0] ?? String(signal.reason ?? 'the verifier of Pact said nothing of it');
      return result === undefined
        ? unverified(pact, interaction, why)
        : judgeInteraction({ ...result, consumer: pact.consumer }, attempts[at]);
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function brokerOptions(broker: Broker): Partial<NativeOptions> {
  const { user, token, wipSince, providerVersion, providerBranch } = broker;
  return {
    pactBrokerUrl: broker.url,
    provider: broker.provider,
    ...(token === undefined ? {} : { pactBrokerToken: token }),
    ...(user === undefined ? {} : { pactBrokerUsername: user.name, pactBrokerPassword: user.password }),
    consumerVersionSelectors: [...broker.selectors],
    ...(broker.isPendingEnabled ? { enablePending: true } : {}),
    ...(wipSince === undefined ? {} : { includeWipPactsSince: wipSince }),
    ...(providerVersion === undefined ? {} : { providerVersion }),
    ...(providerBranch === undefined ? {} : { providerVersionBranch: providerBranch }),
    ...(broker.publishes ? { publishVerificationResult: true } : {}),
  };
}

async function verifyFromBroker(broker: Broker, by: Verification): Promise<readonly ReportedInteraction[]> {
  const { gateway, verifier, signal } = by;
  const outcome = await verifier.verify({ ...optionsFor(gateway), ...brokerOptions(broker) }, signal);
  const attempts = gateway.take();
  if (outcome === undefined) throw new RunStopped(String(signal.reason));
  const redact = redactor([broker.token, broker.user?.password].filter((secret) => secret !== undefined));
  if (outcome.errors.length > 0 && outcome.results.length === 0) {
    throw new RunStopped(`The broker gave no pacts: ${redact(outcome.errors[0] ?? '')}`);
  }
  return outcome.results.map((result, at) => judgeInteraction(result, attempts[at]));
}

/** Verifies pacts one after the other; the report tells each interaction, and what the invariants find. */
export function verifyPacts({ run, pacts, broker, signal, verifier }: VerifyOptions): Promise<Report> {
  const interactions: ReportedInteraction[] = [];
  // A pact is no place for a key, and may have one all the same.
  let redact = (text: string): string => text;

  async function verifyAll(session: Session, owned: Verifier): Promise<void> {
    let expected: readonly PactInteraction[] = [];
    const gateway = await startGateway(session, (index) => expected[index]);
    const by = { session, gateway, verifier: owned, signal };
    try {
      for (const pact of pacts) {
        session.enter(pact.consumer);
        expected = pact.interactions.filter(({ isHttp }) => isHttp);
        if (expected.length > 0) interactions.push(...(await verifyPact(pact, expected, by)));
        const messages = pact.interactions.filter(({ isHttp }) => !isHttp);
        interactions.push(
          ...messages.map((one) => unverified(pact, one, 'it is a message, and the interface shows none')),
        );
      }
      expected = [];
      if (broker !== undefined) interactions.push(...(await verifyFromBroker(broker, by)));
      const ended = gateway.stopped();
      if (ended !== undefined) throw ended;
    } finally {
      await gateway.close();
    }
  }

  return judgeWork(
    { ...run, demands: { requiresAll: false, ...run.demands, only: 'shown' } },
    {
      send: async (session) => {
        redact = session.redact;
        const owned = verifier ?? startVerifier();
        try {
          await preflight(session);
          await verifyAll(session, owned);
          return undefined;
        } catch (error) {
          if (!(error instanceof RunStopped)) throw error;
          if (interactions.length === 0)
            interactions.push(...pacts.flatMap((pact) => unverifiedAll(pact, error.message)));
          return error;
        } finally {
          if (verifier === undefined) owned.close();
        }
      },
      interactions: () =>
        interactions.map((one) => ({
          ...one,
          consumer: redact(one.consumer),
          description: redact(one.description),
          states: one.states.map(redact),
          messages: one.messages.map(redact),
        })),
    },
  );
}
