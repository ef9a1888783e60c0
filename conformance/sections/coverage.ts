/** What the interface names by itself, so that a dry run can say which of it a budget covers and what it leaves out. */

import { type OperationName, operations, pageLimit, petStatuses } from '../../spec/operations.ts';
import type { Exchange } from '../http/exchange.ts';
import { isJsonObject } from '../http/json.ts';
import {
  type InvalidPet,
  isAllowed,
  readListing,
  readNewPet,
  readPetId,
  readRequestJson,
  type SentPet,
} from '../http/read-request.ts';
import { statusOf } from '../http/read-response.ts';
import { isFull, listedPages } from '../world/animals.ts';
import type { World } from '../world/world.ts';

/** One thing that the interface names, and whether the exchanges of a run ask about it. */
interface NamedByInterface {
  /** For example "a listing with status=sold and limit=1". */
  readonly title: string;
  readonly isCovered: (world: World) => boolean;
}

const carriesKey = ({ credential }: Exchange): boolean => credential.kind === 'valid';

/** Covered where a request with the key matches. */
const namedThing = (title: string, matches: (exchange: Exchange) => boolean): NamedByInterface => ({
  title,
  isCovered: ({ exchanges }) => exchanges.some((exchange) => carriesKey(exchange) && matches(exchange)),
});

function isListingWith(exchange: Exchange, limit: number | 'default', status: string): boolean {
  if (exchange.operation !== 'listPets') return false;
  const listing = readListing(exchange);
  return isAllowed(listing) && listing.limit === limit && listing.status === status;
}

const namedLimits = [pageLimit.least, pageLimit.most, 'default'] as const;
const namedListings = namedLimits.flatMap((limit) =>
  ['any', ...petStatuses].map((status) => {
    const query = [limit === 'default' ? [] : `limit=${limit}`, status === 'any' ? [] : `status=${status}`].flat();
    const title = query.length === 0 ? 'a listing without parameters' : `a listing with ${query.join(' and ')}`;
    return namedThing(title, (exchange) => isListingWith(exchange, limit, status));
  }),
);

const fullPages = ['any', ...petStatuses].map(
  (status): NamedByInterface => ({
    title: `a page ${status === 'any' ? 'of all animals' : `by ${status}`} that its limit cuts off`,
    isCovered: (world) => listedPages(world).some((page) => page.status === status && isFull(page)),
  }),
);

/** The animal that a creation sends, if it is accepted as the interface says. */
function sentPet(exchange: Exchange): SentPet | undefined {
  const reading = exchange.operation === 'createPet' ? readNewPet(exchange) : undefined;
  return reading?.kind === 'valid' ? reading.pet : undefined;
}

const namedCreations = [
  ...[...petStatuses, undefined].map((status) =>
    namedThing(`an animal ${status === undefined ? 'without status' : `that is ${status}`}`, (exchange) => {
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
    namedThing(`the categoryId ${text}`, (exchange) => sentPet(exchange)?.categoryId === categoryId),
  ),
];

/** What is wrong with the body of a creation; undefined for any other request. */
function invalidIn(exchange: Exchange): InvalidPet | undefined {
  const reading = exchange.operation === 'createPet' ? readNewPet(exchange) : undefined;
  return reading?.kind === 'invalid' ? reading : undefined;
}

const namedInvalidBodies = [
  ...['name', 'categoryId'].map((field) =>
    namedThing(`a body without ${field}`, (exchange) => {
      if (invalidIn(exchange) === undefined) return false;
      const reading = readRequestJson(exchange.request);
      return 'value' in reading && isJsonObject(reading.value) && reading.value[field] === undefined;
    }),
  ),
  ...(['name', 'categoryId', 'status'] as const).map((field) =>
    namedThing(`a body with a wrong ${field}`, (exchange) => invalidIn(exchange)?.input?.name === field),
  ),
  namedThing('an empty body', ({ operation, request }) => operation === 'createPet' && request.body === ''),
  namedThing(
    'a body that is no JSON object',
    (exchange) => invalidIn(exchange)?.requirement === 'create-malformed-body',
  ),
];

const isGetPet = ({ operation }: Exchange): boolean => operation === 'getPet';
const namedReads = [
  namedThing('a read of an animal', (exchange) => isGetPet(exchange) && statusOf(exchange) === 200),
  namedThing(
    'a read of an id that no animal has',
    (exchange) => isGetPet(exchange) && typeof readPetId(exchange) === 'bigint' && statusOf(exchange) === 404,
  ),
  namedThing(
    'a read of a petId that is no int64',
    (exchange) => isGetPet(exchange) && readPetId(exchange) === 'not-int64',
  ),
];

const namedCredentials = (
  [
    ['without a key', 'missing'],
    ['with a wrong key', 'invalid'],
    ['with the key elsewhere or in another scheme', 'misplaced'],
  ] as const
).flatMap(([title, kind]) =>
  (Object.keys(operations) as readonly OperationName[]).map(
    (operation): NamedByInterface => ({
      title: `${operation} ${title}`,
      isCovered: ({ exchanges }) =>
        exchanges.some((one) => one.operation === operation && one.credential.kind === kind),
    }),
  ),
);

/** Everything that the interface names: each value of an enumeration, each end of a range, each field and each operation. */
export const namedByInterface: readonly NamedByInterface[] = [
  ...namedListings,
  ...fullPages,
  ...namedCreations,
  ...namedInvalidBodies,
  ...namedReads,
  ...namedCredentials,
];
