/** Faults of §2: Errors whose fields are missing or wrong. */

import type { RequirementId } from '../../../spec/requirements.ts';
import type { JsonObject } from '../../http/json.ts';
import {
  breakingEach,
  changeErrors,
  dropField,
  type Fault,
  type FaultDraft,
  mapField,
  ordinary,
  rare,
  renameField,
} from '../fault.ts';

/** The statuses that come with an Error (§7). */
export const errorStatuses = [400, 401, 404] as const;

const requirementOfField = {
  code: 'error-code',
  message: 'error-message',
  status: 'error-status',
} as const satisfies Record<string, RequirementId>;

type Field = keyof typeof requirementOfField;

type DamagesOf = (field: Field) => Readonly<Record<string, (error: JsonObject) => JsonObject>>;

const damagesOf: DamagesOf = (field) => ({
  missing: dropField(field),
  null: mapField(field, () => null),
  misnamed: renameField(field, `${field}Text`),
  ...(field === 'status' ? { 'as-text': mapField(field, (value) => String(value)) } : {}),
  ...(field === 'code' ? { 'as-number': mapField(field, () => 17n) } : {}),
});

const rareDamagesOf: DamagesOf = (field) => ({
  'in-an-array': mapField(field, (value) => [value]),
  ...(field === 'status' ? { fraction: mapField(field, () => 400.5) } : {}),
  ...(field === 'message' ? { 'as-number': mapField(field, () => 17n) } : {}),
});

function fieldFaults(damages: DamagesOf): readonly FaultDraft[] {
  return (['code', 'message', 'status'] as const).flatMap((field) =>
    Object.entries(damages(field)).flatMap(([id, damage]) =>
      breakingEach(requirementOfField[field], `error-${field}-${id}-with-*`, errorStatuses, (status) =>
        changeErrors(damage, status),
      ),
    ),
  );
}

const wrapped: readonly FaultDraft[] = breakingEach(
  ['error-code', 'error-message', 'error-status'],
  'error-wrapped-with-*',
  errorStatuses,
  (status) => changeErrors((error) => ({ error }), status),
);

export const errorFieldFaults: readonly Fault[] = [
  ...ordinary(...fieldFaults(damagesOf), ...wrapped),
  ...rare(...fieldFaults(rareDamagesOf)),
];
