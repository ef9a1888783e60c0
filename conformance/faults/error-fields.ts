/** Faults of §2: Errors whose fields are missing or wrong. */

import { requirementOfErrorField } from '../sections/stated-fields.ts';
import { changeErrors, type Damages, dropField, renameField, setTo } from '../services/wraps.ts';
import { type Fault, ordinaryEach, rareEach } from './fault.ts';

/** The statuses that come with an Error (§7). */
export const errorStatuses = [400, 401, 404] as const;

type Field = keyof typeof requirementOfErrorField;

const fields: readonly Field[] = ['code', 'message', 'status'];

const damages: Damages<Field> = {
  missing: [fields, dropField],
  null: [fields, setTo(() => null)],
  misnamed: [fields, (field) => renameField(field, `${field}Text`)],
  'as-text': [['status'], setTo(String)],
  'as-number': [['code'], setTo(() => 17n)],
};

const rareDamages: Damages<Field> = {
  'in-an-array': [fields, setTo((value) => [value])],
  fraction: [['status'], setTo(() => 400.5)],
  'as-number': [['message'], setTo(() => 17n)],
};

function fieldFaults(faultsOfEach: typeof rareEach, kinds: Damages<Field>): readonly Fault[] {
  return Object.entries(kinds).flatMap(([id, [damaged, damage]]) =>
    damaged.flatMap((field) =>
      faultsOfEach(requirementOfErrorField[field], `error-${field}-${id}-with-*`, errorStatuses, (status) =>
        changeErrors(damage(field), status),
      ),
    ),
  );
}

export const errorFieldFaults: readonly Fault[] = [
  ...fieldFaults(ordinaryEach, damages),
  ...ordinaryEach(['error-code', 'error-message', 'error-status'], 'error-wrapped-with-*', errorStatuses, (status) =>
    changeErrors((error) => ({ error }), status),
  ),
  ...fieldFaults(rareEach, rareDamages),
];
