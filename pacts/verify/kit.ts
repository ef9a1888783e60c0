/** What a verification takes from the kit, all of it here: what sends, what builds requests, and what reads answers. */

import { refusedCredentials, type SentCredential } from '../../conformance/engine/credentials.ts';
import type { Session } from '../../conformance/engine/session.ts';

export { plainCategory } from '../../conformance/checks/4.2-bodies.ts';
export { exhaust } from '../../conformance/checks/8-limit-probe.ts';
export { createPet, getPet, listPets } from '../../conformance/checks/requests.ts';
export { drawUnknownId } from '../../conformance/checks/seen.ts';
export { BudgetSpent } from '../../conformance/engine/budget.ts';
export {
  isSecretHeader,
  noKey,
  rateLimitKey,
  redactor,
  type SentCredential,
  validKey,
} from '../../conformance/engine/credentials.ts';
export type { Exchange, Operation } from '../../conformance/engine/exchange.ts';
export { isInt64, isJsonObject, type JsonObject, type JsonValue } from '../../conformance/engine/json.ts';
export { isPetStatus, readNewPet } from '../../conformance/engine/read-request.ts';
export { bodyOf, statusOf } from '../../conformance/engine/read-response.ts';
export type { Report, ReportedInteraction } from '../../conformance/engine/report.ts';
export { judgeWork, preflight, type RunOptions } from '../../conformance/engine/run.ts';
export { type PlannedRequest, RunStopped, type Session } from '../../conformance/engine/session.ts';
export { removalOfGetPet } from '../../conformance/engine/settings.ts';

/** A key that no target knows, whatever the key of the run. */
export function neverIssued(key: string): SentCredential {
  return refusedCredentials(key).find(({ shown }) => shown.kind === 'invalid')!;
}

/** Why a key could not be used up, where the reason is ours: its limit is more than what the run may spend. */
export function reasonNotExhausted({ notes }: Session): string | undefined {
  return notes.get('rate-exceeded');
}
