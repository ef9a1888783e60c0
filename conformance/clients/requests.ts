/** The judges of single requests of a client (§2, §4, §5, §9): a row for each requirement that one request can break. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import { removalDay, removalDayInWords } from '../../spec/facts.ts';
import type { FailureCode } from '../../spec/failure-codes.ts';
import {
  isAllowedLimit,
  type Operation,
  operations,
  pageLimitInWords,
  petIdIn,
  petStatusesInWords,
} from '../../spec/operations.ts';
import { type Exchange, happenedBefore } from '../http/exchange.ts';
import { isJsonMediaType } from '../http/json.ts';
import { isPetStatus, queryOf, readNewPet, readPetId } from '../http/read-request.ts';
import { idsShownIn } from '../http/read-response.ts';
import { keyMark } from '../http/redact.ts';
import { dayMs } from '../http/tolerances.ts';
import { type Finding, fails, holds } from '../verdict/finding.ts';

export type ClientFinding = Finding<ClientRequirementId>;

interface Broken {
  readonly code: FailureCode;
  readonly expected: string;
  readonly received: string;
  /** The earlier exchange that shows it together with the request. */
  readonly after?: Exchange | undefined;
}

/** Undefined where the requirement does not concern the request. */
type Judged = 'holds' | Broken | undefined;
/** Judges a request among all of its client, in the order in which they arrived. */
type RequestJudge = (exchange: Exchange, all: readonly Exchange[]) => Judged;

function brokenRequest(code: FailureCode, expected: string, received: string, after?: Exchange): Broken {
  return { code, expected, received, after };
}

// Bodies of createPet (§2, §4.2).

function judgeMediaType({ request: { headers } }: Exchange): Judged {
  const { 'content-type': type = 'no Content-Type' } = headers;
  return isJsonMediaType(type) ? 'holds' : brokenRequest('other-media-type', 'application/json', type);
}

function judgeBodyFields(exchange: Exchange): Judged {
  const reading = readNewPet(exchange);
  // A body of another media type breaks `client-sends-json`.
  if (reading.kind === 'open' && reading.pet === undefined) return undefined;
  if (reading.kind !== 'invalid' || reading.input !== undefined) return 'holds';
  const code = reading.requirement === 'create-required-fields' ? 'field-missing' : 'no-object';
  return brokenRequest(code, 'a JSON object with a name and a categoryId', reading.fault);
}

const allowedValues = { name: 'a string', categoryId: 'an int64', status: petStatusesInWords };

function judgeValues(exchange: Exchange): Judged {
  const reading = readNewPet(exchange);
  if (reading.kind !== 'invalid') return reading.pet && 'holds';
  const { input } = reading;
  if (input === undefined) return undefined;
  const { name, value } = input;
  return brokenRequest(`${name}-outside`, `${name} to be ${allowedValues[name]}`, value);
}

// Operations, parameters and ids (§4).

/** The addresses in Link and Location of an answer, resolved against the address of its request. */
function linksOf({ request, response }: Exchange): readonly string[] {
  const { link = '', location = '' } = response?.headers ?? {};
  const links = [...link.matchAll(/<([^<>]*)>/g)].map(([, address = '']) => address);
  return [...links, ...(location === '' ? [] : [location])].flatMap((address) => {
    const url = URL.parse(address, `http://base${request.target}`);
    return url === null ? [] : [url.pathname + url.search];
  });
}

/** Whether an earlier answer named the address of a read: a client may follow links that the service shows. */
function isFollowed(exchange: Exchange, all: readonly Exchange[]): boolean {
  const { method, target } = exchange.request;
  const isNamedBy = (earlier: Exchange): boolean => linksOf(earlier).some((link) => link.endsWith(target));
  return method === 'GET' && all.some((earlier) => happenedBefore(earlier, exchange) && isNamedBy(earlier));
}

const shownOperations = Object.values(operations).map(({ method, path }) => `${method} ${path}`);

function judgeShown(exchange: Exchange, all: readonly Exchange[]): Judged {
  const { operation, request } = exchange;
  if (isFollowed(exchange, all)) return 'holds';
  if (operation === 'other') {
    const shown = `${shownOperations.slice(0, -1).join(', ')} or ${shownOperations.at(-1)} below the base address`;
    return brokenRequest('other-operation', shown, `${request.method} ${request.target}`);
  }
  const known: readonly string[] = operations[operation].query;
  // A key in the query breaks `client-key-in-header`.
  const pairs = [...queryOf(exchange)].filter(([, value]) => !value.includes(keyMark));
  const others = pairs.map(([name]) => name).filter((name) => !known.includes(name));
  if (others.length === 0) return 'holds';
  const expected = `${operation} with ${known.join(' and ') || 'no parameter'}`;
  return brokenRequest('other-parameter', expected, `${others.join(', ')} as well`);
}

/** Judges the values of a parameter, which may be given once. */
const judgeParameter =
  (name: string, code: FailureCode, expected: string, isAllowed: (value: string) => boolean): RequestJudge =>
  (exchange) => {
    const values = queryOf(exchange).getAll(name);
    if (values.length === 0) return undefined;
    if (values.length === 1 && isAllowed(values[0]!)) return 'holds';
    return brokenRequest(code, expected, values.map((one) => `"${one}"`).join(' and '));
  };

function petIdText({ request }: Exchange): string {
  return petIdIn(request.target.split('?')[0]!) ?? '';
}

function judgePetId(exchange: Exchange): Judged {
  if (typeof readPetId(exchange) === 'bigint') return 'holds';
  return brokenRequest('no-int64', 'an int64 in plain digits', `"${petIdText(exchange)}"`);
}

/** Whether an id that the service gave came back with all digits, or as a double rounds it. */
function judgeExactness(exchange: Exchange, all: readonly Exchange[]): Judged {
  const digits = petIdText(exchange);
  const given = all
    .filter((earlier) => happenedBefore(earlier, exchange))
    .flatMap((after) => idsShownIn(after).map((id) => ({ id, after })));
  if (given.some(({ id }) => String(id) === digits)) return 'holds';
  // JavaScript writes zeros after the digits that a double holds, and other languages write its exact value.
  const rounded = given.find(({ id }) => [String(Number(id)), String(BigInt(Number(id)))].includes(digits));
  return rounded && brokenRequest('rounded', `${rounded.id}, as the service gave it`, digits, rounded.after);
}

// The key (§5).

/** The places of a key outside the Authorization header. */
function placesOf({ request, credential }: Exchange): readonly string[] {
  const headers = Object.entries(request.headers).map(([name, value]) => [`the header ${name}`, value] as const);
  const texts = [['the address', request.target] as const, ...headers, ['the body', request.body ?? ''] as const];
  const found = texts.flatMap(([place, text]) => (text.includes(keyMark) ? [place] : []));
  const isInScheme = credential.kind === 'misplaced' && found.length === 0;
  return isInScheme ? ['another scheme of the Authorization header'] : found;
}

function judgeKey(exchange: Exchange, all: readonly Exchange[]): Judged {
  const { credential, operation, request } = exchange;
  const places = placesOf(exchange);
  if (places.length > 0) {
    return brokenRequest('key-elsewhere', 'the key in Authorization: Bearer alone', `it in ${places.join(' and ')}`);
  }
  if (credential.kind !== 'missing') return ['valid', 'lenient'].includes(credential.kind) ? 'holds' : undefined;
  // §5 speaks of operations; anything else breaks `client-shown-only`.
  if (operation === 'other') return undefined;
  // A library may send its key only once it was asked for it: the same request then follows at once.
  const next = all[all.indexOf(exchange) + 1];
  const isAsked = next?.request.method === request.method && next.request.target === request.target;
  if (isAsked && next?.credential.kind === 'valid') return undefined;
  return brokenRequest('no-key', 'the key with every request', `${request.method} ${request.target} without one`);
}

/** Whether a client still uses getPet, which will be removed (§9). */
function judgeDeprecated(exchange: Exchange, all: readonly Exchange[]): Judged {
  if (exchange.operation !== 'getPet') return 'holds';
  // A client that follows the Location of a new animal goes where the service leads it, and goes nowhere after the removal.
  if (isFollowed(exchange, all)) return undefined;
  const days = Math.max(0, Math.ceil((removalDay - exchange.startedAt) / dayMs));
  const expected = 'GET /pets with the status filter, which replaces it';
  const received = `GET /pets/{petId}; days left until ${removalDayInWords}: ${days}`;
  return brokenRequest('deprecated-operation', expected, received);
}

const judges: readonly (readonly [ClientRequirementId, concerns: Operation | 'all', RequestJudge])[] = [
  ['client-required-fields', 'createPet', judgeBodyFields],
  ['client-values-in-range', 'createPet', judgeValues],
  ['client-sends-json', 'createPet', judgeMediaType],
  ['client-shown-only', 'all', judgeShown],
  [
    'client-limit-in-range',
    'listPets',
    judgeParameter('limit', 'limit-outside', `one limit ${pageLimitInWords}`, isAllowedLimit),
  ],
  [
    'client-status-known',
    'listPets',
    judgeParameter('status', 'status-unknown', `one status that is ${petStatusesInWords}`, isPetStatus),
  ],
  ['client-id-int64', 'getPet', judgePetId],
  ['client-id-exact', 'getPet', judgeExactness],
  ['client-key-in-header', 'all', judgeKey],
  ['client-deprecated', 'all', judgeDeprecated],
];

/** What requests show one by one, waits aside: that a requirement holds, or why not. */
export function judgeRequests(all: readonly Exchange[]): readonly ClientFinding[] {
  return judges.flatMap(([requirement, concerned, judge]) =>
    all
      .filter(({ operation }) => concerned === 'all' || operation === concerned)
      .flatMap((exchange) => {
        const judged = judge(exchange, all);
        if (judged === undefined) return [];
        if (judged === 'holds') return [holds(requirement, exchange)];
        const { code, after, ...facts } = judged;
        return [fails(requirement, code, facts, ...(after === undefined ? [] : [after]), exchange)];
      }),
  );
}
