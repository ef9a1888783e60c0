/** Faults of §2: Errors whose fields are missing or wrong. */

import type { RequirementId } from '../../../spec/requirements.ts';
import type { JsonObject } from '../../http/json.ts';
import { changeErrors, dropField, type Fault, type FaultDraft, mapField, ordinary, renameField } from '../fault.ts';

/** The statuses that come with an Error (§7). */
export const errorStatuses = [400, 401, 404] as const;

const requirementOfField = {
  code: 'error-code',
  message: 'error-message',
  status: 'error-status',
} as const satisfies Record<string, RequirementId>;

type Field = keyof typeof requirementOfField;

function damagesOf(field: Field): Readonly<Record<string, (error: JsonObject) => JsonObject>> {
  return {
    missing: dropField(field),
    null: mapField(field, () => null),
    misnamed: renameField(field, `${field}Text`),
    'in-an-array': mapField(field, (value) => [value]),
    ...(field === 'status'
      ? { 'as-text': mapField(field, (value) => String(value)), fraction: mapField(field, () => 400.5) }
      : { 'as-number': mapField(field, () => 17n) }),
  };
}

const fieldFaults: readonly FaultDraft[] = (['code', 'message', 'status'] as const).flatMap((field) =>
  Object.entries(damagesOf(field)).flatMap(([id, damage]) =>
    errorStatuses.map(
      (status): FaultDraft => ({
        id: `error-${field}-${id}-with-${status}`,
        breaks: [requirementOfField[field]],
        wrap: changeErrors(damage, status),
      }),
    ),
  ),
);

const wrapped: readonly FaultDraft[] = errorStatuses.map((status) => ({
  id: `error-wrapped-with-${status}`,
  breaks: ['error-code', 'error-message', 'error-status'],
  wrap: changeErrors((error) => ({ error }), status),
}));

export const errorFieldFaults: readonly Fault[] = ordinary(...fieldFaults, ...wrapped);
