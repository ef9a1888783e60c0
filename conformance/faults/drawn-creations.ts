/** Faults of §4.2: invalid bodies that are accepted because of what else is in them. */

import { isPetStatus } from '../../reference-server/index.ts';
import { isJsonObject, type JsonObject, writeJson } from '../http/json.ts';
import {
  changeRequest,
  hasWideCharacters,
  nameOf,
  sentJson,
  unknownFieldsOf,
  type Wrap,
  withBody,
} from '../services/wraps.ts';
import { type Fault, rareEach } from './fault.ts';

const isInvalidStatus = ({ status }: JsonObject): boolean => status !== undefined && !isPetStatus(status);
const isNoCategory = ({ categoryId }: JsonObject): boolean =>
  categoryId !== undefined && typeof categoryId !== 'bigint';
const isNoName = ({ name }: JsonObject): boolean => name !== undefined && typeof name !== 'string';
const hasMore = (pet: JsonObject): boolean => unknownFieldsOf(pet).length > 0;

/** Invalid bodies that are accepted because of what stands beside the invalid value. */
const accepted: Readonly<Record<string, (pet: JsonObject) => boolean>> = {
  'name-null-beside-sold': (pet) => pet['name'] === null && pet['status'] === 'sold',
  'name-number-beside-unknown-fields': (pet) => isNoName(pet) && hasMore(pet),
  'missing-name-beside-available': (pet) => !Object.hasOwn(pet, 'name') && pet['status'] === 'available',
  'missing-name-beside-unknown-fields': (pet) => !Object.hasOwn(pet, 'name') && hasMore(pet),
  'missing-category-beside-a-wide-name': (pet) => !Object.hasOwn(pet, 'categoryId') && hasWideCharacters(nameOf(pet)),
  'category-null-beside-pending': (pet) => pet['categoryId'] === null && pet['status'] === 'pending',
  'category-text-beside-available': (pet) => typeof pet['categoryId'] === 'string' && pet['status'] === 'available',
  'category-truth-beside-pending': (pet) => typeof pet['categoryId'] === 'boolean' && pet['status'] === 'pending',
  'category-fraction-beside-sold': (pet) => typeof pet['categoryId'] === 'number' && pet['status'] === 'sold',
  'category-list-beside-unknown-fields': (pet) => Array.isArray(pet['categoryId']) && hasMore(pet),
  'category-of-any-type-beside-a-long-name': (pet) => isNoCategory(pet) && nameOf(pet).length > 40,
  'status-null-beside-unknown-fields': (pet) => pet['status'] === null && hasMore(pet),
  'wrong-status-beside-a-wide-name': (pet) => isInvalidStatus(pet) && hasWideCharacters(nameOf(pet)),
  'wrong-status-beside-a-negative-category': (pet) => isInvalidStatus(pet) && Number(pet['categoryId']) < 0,
  'wrong-status-beside-a-large-category': (pet) => isInvalidStatus(pet) && Number(pet['categoryId']) > 2 ** 52,
  'wrong-status-beside-category-zero': (pet) => isInvalidStatus(pet) && pet['categoryId'] === 0n,
  'wrong-status-beside-an-id': (pet) => isInvalidStatus(pet) && Object.hasOwn(pet, 'id'),
  'two-wrong-values': (pet) => isInvalidStatus(pet) && isNoCategory(pet),
  'three-wrong-values': (pet) => isInvalidStatus(pet) && isNoCategory(pet) && isNoName(pet),
  'only-a-status': (pet) => Object.keys(pet).join() === 'status',
};

function acceptedIf(matches: (pet: JsonObject) => boolean): Wrap {
  return changeRequest((request, call) => {
    const pet = sentJson(call);
    if (call.operation !== 'createPet' || !isJsonObject(pet) || !matches(pet)) return request;
    const name = typeof pet['name'] === 'string' ? pet['name'] : 'Rex';
    return withBody(request, writeJson({ name, categoryId: 1n }));
  });
}

export const drawnCreationFaults: readonly Fault[] = rareEach(
  ['create-invalid-values', 'create-required-fields'],
  'accepts-*',
  accepted,
  acceptedIf,
);
