/** Faults of §2 that few creations show: what else a body holds, and what came before it, decides what is stored. */

import type { StoreResponse } from '../../reference-server/index.ts';
import { isJsonObject, type JsonObject, type JsonValue, writeJson } from '../http/json.ts';
import {
  type Call,
  changeCreated,
  changeCreation,
  changeRequest,
  changeSentPet,
  dropField,
  nameOf,
  requestHeader,
  sentBody,
  sentPet,
  unknownFieldsOf,
  type Wrap,
  withBody,
} from '../services/wraps.ts';
import { type Fault, rare, rareEach } from './fault.ts';

const mediaTypeOf = ({ request }: Call): string => requestHeader(request, 'content-type') ?? '';

/** Animals whose status is lost because of another value. */
const statusLost: Readonly<Record<string, (pet: JsonObject) => boolean>> = {
  'sold-beside-a-large-negative-category': (pet) => pet['status'] === 'sold' && Number(pet['categoryId']) < -(2 ** 33),
  'sold-beside-a-long-name': (pet) => pet['status'] === 'sold' && nameOf(pet).length > 100,
  'pending-in-front': (pet) => pet['status'] === 'pending' && Object.keys(pet)[0] === 'status',
  'any-beside-two-unknown-fields': (pet) => unknownFieldsOf(pet).length > 1,
};

/** Answers from a certain creation of the same thing on with the animal of the first. */
function sharingIds(from: number, likenessOf: (call: Call) => string): Wrap {
  return (handle, keys) => {
    const first = new Map<string, { readonly answer: StoreResponse; count: number }>();
    return changeCreation((answer, call) => {
      const likeness = likenessOf(call);
      const known = first.get(likeness) ?? { answer, count: 0 };
      first.set(likeness, known);
      known.count += 1;
      return known.count >= from ? known.answer : undefined;
    })(handle, keys);
  };
}

function storesInstead(pattern: RegExp, replace: (found: string) => string): Wrap {
  return changeRequest((request) => withBody(request, sentBody({ request }).replace(pattern, replace)));
}

export const drawnResourceFaults: readonly Fault[] = [
  ...rareEach('pet-status-kept', 'status-lost-*', statusLost, (matches) =>
    changeSentPet((pet) => (pet['status'] === 'available' || !matches(pet) ? pet : dropField('status')(pet))),
  ),
  ...rare(['pet-category-id-kept', 'create-answer'], {
    'category-with-an-exponent-cut': storesInstead(/(?<="categoryId":\d+)e\d+/, () => ''),
    'category-rounded-at-the-end-of-the-body': storesInstead(/(?<="categoryId":)-?\d{16,18}(?=\}$)/, (digits) =>
      String(BigInt(Number(digits))),
    ),
  }),
  ...rare('pet-id-unique', {
    'third-animal-of-a-name-shares-the-id': sharingIds(3, (call) => nameOf(sentPet(call))),
    'same-body-twice-is-one-animal': sharingIds(2, sentBody),
  }),
  ...rare('pet-category-id-kept', {
    'namesake-gets-the-category-of-the-first': (handle, keys) => {
      const categories = new Map<string, JsonValue>();
      return changeSentPet((pet) => {
        const first = categories.get(nameOf(pet)) ?? pet['categoryId'];
        if (first === undefined) return pet;
        categories.set(nameOf(pet), first);
        return { ...pet, categoryId: first };
      })(handle, keys);
    },
  }),
  ...rare('pet-status-kept', {
    'charset-loses-the-status': changeRequest((request, call) => {
      const { status: _lost, ...rest } = sentPet(call);
      const isLost = /charset/.test(mediaTypeOf(call)) && Object.hasOwn(rest, 'name');
      return isLost ? withBody(request, writeJson(rest)) : request;
    }),
    'query-sets-the-status': changeRequest((request, call) => {
      const status = call.query.get('status');
      const pet = sentPet(call);
      return status !== null && Object.hasOwn(pet, 'name') ? withBody(request, writeJson({ ...pet, status })) : request;
    }),
  }),
  ...rare('pet-name-kept', {
    'name-takes-the-letter-case-of-the-first': (handle, keys) => {
      const first = new Map<string, JsonValue>();
      return changeSentPet((pet) => {
        const { name = null } = pet;
        if (typeof name !== 'string') return pet;
        const known = first.get(name.toLowerCase()) ?? name;
        first.set(name.toLowerCase(), known);
        return { ...pet, name: known };
      })(handle, keys);
    },
    'characters-of-a-chunked-body-lost': changeRequest((request) =>
      requestHeader(request, 'transfer-encoding') === undefined
        ? request
        : withBody(request, sentBody({ request }).replace(/[^\x00-\x7f]/gu, '\ufffd')),
    ),
    'unknown-object-names-the-animal': changeSentPet((pet) => {
      const inner = unknownFieldsOf(pet).find(([, value]) => isJsonObject(value) && typeof value['name'] === 'string');
      return inner === undefined ? pet : { ...pet, ...(inner[1] as JsonObject), id: null };
    }),
  }),
  ...rare(['pet-category-id', 'pet-category-id-kept'], {
    'hundred-first-animal-without-a-category': changeCreated((pet, _call, count) =>
      count > 100 ? dropField('categoryId')(pet) : undefined,
    ),
  }),
];
