/** Builds exchanges as a run records them, for tests that judge without sending. */

import { type SentCredential, validKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { trialSettings } from '../../proof/trial.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import { conformanceSuite, judgeWorld } from '../../sections/index.ts';
import type { Failing } from '../../verdict/finding.ts';
import { isFailing } from '../../verdict/finding.ts';
import type { Settings } from '../../verdict/settings.ts';
import { readWorld } from '../../world/world.ts';

/** A request with its answer; a status without a body stands for its usual body. */
export interface HandMadeAnswer {
  readonly request: PlannedRequest;
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly credential?: SentCredential;
  readonly repeats?: number;
  /** Set where the connection broke instead of an answer. */
  readonly isBroken?: true;
  /** When it was sent, in seconds since the start of the run; undefined: a millisecond after the one before. */
  readonly seconds?: number;
}

export const apiKey = 'Key-Of-The-Evidence-1';

function usualBody(status: number): string {
  if (status >= 400) return `{"code":"c","message":"m","status":${status}}`;
  return status === 201 ? '{"id":1,"name":"Rex","categoryId":1}' : '[]';
}

/** Exchanges one after another, numbered from 1. */
export function exchangesOf(answers: readonly HandMadeAnswer[]): readonly Exchange[] {
  return answers.map(({ request, status = 200, body, headers, credential, repeats, isBroken, seconds }, at) => ({
    number: at + 1,
    check: 'a-check',
    operation: request.operation,
    credential: (credential ?? request.credential ?? validKey(apiKey)).shown,
    request: {
      method: request.method ?? 'GET',
      target: request.target,
      headers: request.contentType === undefined ? {} : { 'content-type': request.contentType },
      ...(request.body === undefined ? {} : { body: request.body }),
    },
    ...(isBroken
      ? { failure: { code: 'broken', message: 'ECONNRESET' } }
      : {
          response: {
            status,
            headers: { 'content-type': 'application/json', ...headers },
            body: body ?? usualBody(status),
          },
        }),
    ...(repeats === undefined ? {} : { repeats }),
    startedAt: seconds === undefined ? at : 1_000 * seconds,
    endedAt: seconds === undefined ? at : 1_000 * seconds,
    sent: 2 * at + 1,
    answered: 2 * at + 2,
  }));
}

/** The failures of some requirements that these exchanges show. */
export function failuresIn(
  answers: readonly HandMadeAnswer[],
  requirements: RegExp,
  changes: Partial<Settings> = {},
): readonly Failing[] {
  const history = readWorld(exchangesOf(answers), trialSettings(60, changes));
  return judgeWorld(history, conformanceSuite)
    .filter(isFailing)
    .filter(({ requirement }) => requirements.test(requirement));
}

/** The requirements that these exchanges prove. */
export function heldIn(answers: readonly HandMadeAnswer[], requirements: RegExp): readonly string[] {
  const history = readWorld(exchangesOf(answers), trialSettings(60));
  const held = judgeWorld(history, conformanceSuite).filter((finding) => !isFailing(finding));
  return [...new Set(held.map(({ requirement }) => requirement))].filter((id) => requirements.test(id));
}
