/** What the interface names by itself, so that a dry run can say which of it a budget covers and what it leaves out. */

import { type OperationName, operations, petStatuses } from '../../spec/operations.ts';
import type { Exchange } from '../http/exchange.ts';
import { isJsonObject } from '../http/json.ts';
import { isAllowed, readListing, readNewPet, readPetId, readRequestJson, type SentPet } from '../http/read-request.ts';
import { statusOf } from '../http/read-response.ts';
import { isFull, listedPages } from '../world/animals.ts';
import type { World } from '../world/world.ts';

/** One thing that the interface names, and whether the exchanges of a run ask about it. */
interface Named {
  /** For example "a listing with status=sold and limit=1". */
  readonly title: string;
  readonly isCovered: (world: World) => boolean;
}

const isWithKey = ({ credential }: Exchange): boolean => credential.kind === 'valid';

/** Covered where a request with the key matches. */
const named = (title: string, matches: (exchange: Exchange) => boolean): Named => ({
  title,
  isCovered: ({ exchanges }) => exchanges.some((exchange) => isWithKey(exchange) && matches(exchange)),
});

function isListing(exchange: Exchange, limit: number | 'default', status: string): boolean {
  if (exchange.operation !== 'listPets') return false;
  const listing = readListing(exchange);
  return isAllowed(listing) && listing.limit === limit && listing.status === status;
}

const limits = [1, 100, 'default'] as const;
const listings = limits.flatMap((limit) =>
  ['any', ...petStatuses].map((status) => {
    const query = [limit === 'default' ? [] : `limit=${limit}`, status === 'any' ? [] : `status=${status}`].flat();
    const title = query.length === 0 ? 'a listing without parameters' : `a listing with ${query.join(' and ')}`;
    return named(title, (exchange) => isListing(exchange, limit, status));
  }),
);

const fullPages = ['any', ...petStatuses].map(
  (status): Named => ({
    title: `a page ${status === 'any' ? 'of all animals' : `by ${status}`} that its limit cuts off`,
    isCovered: (world) => listedPages(world).some((page) => page.status === status && isFull(page)),
  }),
);

/** The animal that a creation sends, if it is accepted as the interface says. */
function sentPet(exchange: Exchange): SentPet | undefined {
  const reading = exchange.operation === 'createPet' ? readNewPet(exchange) : undefined;
  return reading?.kind === 'valid' ? reading.pet : undefined;
}

const creations = [
  ...[...petStatuses, undefined].map((status) =>
    named(`an animal ${status === undefined ? 'without status' : `that is ${status}`}`, (exchange) => {
      const pet = sentPet(exchange);
      return pet !== undefined && pet.status === status;
    }),
  ),
  ...(
    [
      ['2^63 - 1', 2n ** 63n - 1n],
      ['-2^63', -(2n ** 63n)],
      ['0', 0n],
    ] as const
  ).map(([text, categoryId]) =>
    named(`the categoryId ${text}`, (exchange) => sentPet(exchange)?.categoryId === categoryId),
  ),
];

const invalidBodies = [
  ...['name', 'categoryId'].map((field) =>
    named(`a body without ${field}`, (exchange) => {
      const reading = exchange.operation === 'createPet' ? readRequestJson(exchange.request) : undefined;
      if (reading === undefined || !('value' in reading) || !isJsonObject(reading.value)) return false;
      return readNewPet(exchange).kind === 'invalid' && reading.value[field] === undefined;
    }),
  ),
  ...(['name', 'categoryId', 'status'] as const).map((field) =>
    named(`a body with a wrong ${field}`, (exchange) => {
      const reading = exchange.operation === 'createPet' ? readNewPet(exchange) : undefined;
      return reading?.kind === 'invalid' && reading.input?.name === field;
    }),
  ),
  named('an empty body', ({ operation, request }) => operation === 'createPet' && request.body === ''),
  named('a body that is no JSON object', (exchange) => {
    const reading = exchange.operation === 'createPet' ? readNewPet(exchange) : undefined;
    return reading?.kind === 'invalid' && reading.requirement === 'create-malformed-body';
  }),
];

const isRead = ({ operation }: Exchange): boolean => operation === 'getPet';
const reads = [
  named('a read of an animal', (exchange) => isRead(exchange) && statusOf(exchange) === 200),
  named(
    'a read of an id that no animal has',
    (exchange) => isRead(exchange) && typeof readPetId(exchange) === 'bigint' && statusOf(exchange) === 404,
  ),
  named('a read of a petId that is no int64', (exchange) => isRead(exchange) && readPetId(exchange) === 'not-int64'),
];

const credentials = (
  [
    ['without a key', ['missing']],
    ['with a wrong key', ['invalid']],
    ['with the key elsewhere or in another scheme', ['misplaced']],
  ] as const
).flatMap(([title, kinds]) =>
  (Object.keys(operations) as readonly OperationName[]).map(
    (operation): Named => ({
      title: `${operation} ${title}`,
      isCovered: ({ exchanges }) =>
        exchanges.some((one) => one.operation === operation && kinds.some((kind) => kind === one.credential.kind)),
    }),
  ),
);

/** Everything that the interface names: each value of an enumeration, each end of a range, each field and each operation. */
export const namedByInterface: readonly Named[] = [
  ...listings,
  ...fullPages,
  ...creations,
  ...invalidBodies,
  ...reads,
  ...credentials,
];
