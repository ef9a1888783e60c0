/** What a verification takes from the kit, all of it here: what sends, what builds requests, and what reads answers. */

import { refusedCredentials } from '../../conformance/checks/refused-credentials.ts';
import type { SentCredential } from '../../conformance/engine/evidence/credentials.ts';

export { exhaust } from '../../conformance/checks/8-limit-probe.ts';
export { createPet, drawUnknownId, getPet, listPets, plainCategory } from '../../conformance/checks/requests.ts';
export { BudgetSpent } from '../../conformance/engine/budget.ts';
export { noKey, rateLimitKey, type SentCredential, validKey } from '../../conformance/engine/evidence/credentials.ts';
export type { Exchange, Operation } from '../../conformance/engine/evidence/exchange.ts';
export { isInt64, isJsonObject, type JsonObject, type JsonValue } from '../../conformance/engine/evidence/json.ts';
export { isPetStatus, readNewPet } from '../../conformance/engine/evidence/read-request.ts';
export { bodyOf, statusOf } from '../../conformance/engine/evidence/read-response.ts';
export { isSecretHeader, type Redact, redactor } from '../../conformance/engine/evidence/redact.ts';
export { RunStopped } from '../../conformance/engine/pace.ts';
export type { PlannedRequest } from '../../conformance/engine/planned-request.ts';
export { preflight } from '../../conformance/engine/preflight.ts';
export { kit } from '../../conformance/engine/report/kit.ts';
export type { Report, ReportedInteraction } from '../../conformance/engine/report/report.ts';
export { judgeWork, type RunOptions } from '../../conformance/engine/run.ts';
export type { Session } from '../../conformance/engine/session.ts';
export { waitToSettle } from '../../conformance/engine/settling.ts';
export { removalOfGetPet } from '../../spec/facts.ts';

/** A key that no target knows, whatever the key of the run. */
export function neverIssued(key: string): SentCredential {
  return refusedCredentials({ api: key }).find(({ shown }) => shown.id === 'never-issued')!;
}
