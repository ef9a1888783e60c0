/** What a verification takes from the kit, all of it here: what sends, what builds requests, and what reads answers. */

import type { SentCredential } from '../../conformance/http/credentials.ts';
import { refusedCredentials } from '../../conformance/sections/5-authentication/refused-credentials.ts';

export { noKey, rateLimitKey, type SentCredential, validKey } from '../../conformance/http/credentials.ts';
export type { Exchange } from '../../conformance/http/exchange.ts';
export { isInt64, isJsonObject, type JsonObject, type JsonValue } from '../../conformance/http/json.ts';
export { isPetStatus, readNewPet } from '../../conformance/http/read-request.ts';
export { bodyOf, statusOf } from '../../conformance/http/read-response.ts';
export { type Redact, redactor } from '../../conformance/http/redact.ts';
export { isSecretName } from '../../conformance/http/secret-names.ts';
export { BudgetSpent } from '../../conformance/run/budget.ts';
export { RunStopped } from '../../conformance/run/pace.ts';
export type { PlannedRequest } from '../../conformance/run/planned-request.ts';
export { preflight } from '../../conformance/run/preflight.ts';
export { judgeWork, type RunOptions } from '../../conformance/run/run.ts';
export type { Session } from '../../conformance/run/session.ts';
export { waitToSettle } from '../../conformance/run/settling.ts';
export { exhaust } from '../../conformance/sections/8-limits/scenarios.ts';
export { createPet, drawUnknownId, getPet, listPets, plainCategory } from '../../conformance/sections/requests.ts';
export { kit } from '../../conformance/verdict/kit.ts';
export type { Report, ReportedInteraction } from '../../conformance/verdict/report.ts';
export { removalOfGetPet } from '../../spec/facts.ts';

/** A key that no target knows, whatever the key of the run. */
export function neverIssued(key: string): SentCredential {
  return refusedCredentials({ api: key }).find(({ shown }) => shown.id === 'never-issued')!;
}
