/** The commands of the stateful model: the requests that a client may send next, given the animals that the run has seen. */

import fc from 'fast-check';
import { defined } from '../../../spec/defined.ts';
import { petStatuses } from '../../../spec/operations.ts';
import type { Exchange } from '../../http/exchange.ts';
import { writeJson } from '../../http/json.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import type { Probe } from '../../run/suite.ts';
import { listPetsProbes } from '../4.1-list-pets/probes.ts';
import { learnedAcceptance } from '../4.2-create-pet/creations.ts';
import { createPetProbes } from '../4.2-create-pet/probes.ts';
import { rareWritings, writeEscaped, writeFreely, writings } from '../4.2-create-pet/writings.ts';
import { getPetProbes } from '../4.3-get-pet/probes.ts';
import { refusedCredentials } from '../5-authentication/credentials.ts';
import { createPetFrom, listPets, plainCategory } from '../requests.ts';
import { boundaries, commonParts, edges, pieces, rareParts } from '../values.ts';

export type Send = (request: PlannedRequest) => Promise<Exchange>;

/** The session is the model: what a sequence may send depends on what the run has seen. */
export type Command = fc.AsyncCommand<Session, Send, false>;

/** The boundaries of number types, numbers of every width, and any int64. */
const categoryIds: fc.Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(...boundaries),
  fc
    .tuple(fc.integer({ min: 1, max: 62 }), fc.integer({ min: -2, max: 2 }), fc.constantFrom(1n, -1n))
    .map(([bits, more, sign]) => sign * (2n ** BigInt(bits) + BigInt(more))),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);

/** Any code point. The library's own unit for this builds a table of 200 MB. */
const codePoints = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

const texts = fc.oneof(
  fc.constantFrom(...commonParts, ...rareParts, ...pieces, ...edges.flat()),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.array(codePoints, { maxLength: 40 }).map((characters) => characters.join('')),
);

/** What stands before and after the tag in a name. */
const affixes = fc.oneof(
  fc.tuple(texts, texts),
  fc.integer({ min: 20, max: 3_000 }).map((length) => ['', 'n'.repeat(length)] as const),
);

const statuses = fc.option(fc.constantFrom(...petStatuses), { nil: undefined });

const creations = fc.record({
  affixes,
  categoryId: fc.option(categoryIds, { nil: undefined }),
  status: statuses,
  write: fc.oneof(
    { weight: 3, arbitrary: fc.constant(writeJson) },
    fc.constantFrom(...writings, ...rareWritings, writeFreely, writeEscaped),
  ),
});

/** Listings with a limit in and beyond the range and a status, in either order. */
const queries = fc
  .tuple(fc.option(fc.integer({ min: -20, max: 130 }), { nil: undefined }), statuses, fc.boolean())
  .map(([limit, status, isReversed]) => {
    const fields = [limit === undefined ? [] : [`limit=${limit}`], status === undefined ? [] : [`status=${status}`]];
    return (isReversed ? fields.reverse() : fields).flat().join('&');
  });

type RequestOf = Probe['request'];

/** A gateway may refuse a larger body, whatever its key; UTF-16 units. */
const largestRefused = 250;

/** Drawn creations and listings, the rows of all tables in any order, and each of them with a key that must be refused. */
export function commandsFor(session: Session): readonly fc.Arbitrary<Command>[] {
  const { settings, budget, keys } = session;
  const { takesHardNames, takesOtherCategories } = learnedAcceptance(session);
  const canCreate = !settings.isReadOnly && budget.creationsLeft() > 0;
  const create = creations.map(
    ({ affixes: [front, end], categoryId, status, write }): RequestOf =>
      (own) => {
        const tag = own.newName();
        const name = takesHardNames ? `${front}${tag}${end}` : tag;
        const category = (takesOtherCategories ? categoryId : undefined) ?? plainCategory(own);
        return createPetFrom(write(defined({ name, categoryId: category, status })));
      },
  );
  const list = queries.map(
    (query): RequestOf =>
      () =>
        listPets(query),
  );
  const kinds = [...createPetProbes, ...listPetsProbes, ...getPetProbes].flatMap((kind) =>
    'probes' in kind ? [kind.probes(session).map(({ request }) => request)] : [],
  );
  const ofTables = kinds.filter(({ length }) => length > 0).map((rows) => fc.constantFrom(...rows));
  const allowed = fc.oneof(...(canCreate ? [create, create] : []), list, list, ...ofTables);
  const refused = fc
    .tuple(fc.oneof(list, ...(canCreate ? [create] : [])), fc.constantFrom(...refusedCredentials(keys)))
    .map(
      ([requestOf, credential]): RequestOf =>
        (own) => {
          const request = requestOf(own);
          return request && (request.body ?? '').length < largestRefused ? { ...request, credential } : undefined;
        },
    );
  return [allowed, allowed, allowed, allowed, refused].map((requests) =>
    requests.map((requestOf): Command => {
      let request: PlannedRequest | undefined;
      return {
        check: (own) => {
          request = requestOf(own);
          return request !== undefined;
        },
        run: async (_own, send) => void (await send(request!)),
        toString: () => String(request?.target),
      };
    }),
  );
}
