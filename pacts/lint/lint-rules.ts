/** What a pact claims beyond the interface, rule by rule; openapi.yaml is compared in lint.ts. */

import { isInt64, readJson } from '../../conformance/engine/json.ts';
import { isPetStatus, readNewPet } from '../../conformance/engine/read-request.ts';
import type { GapId } from '../../spec/gaps.ts';
import { type Fields, isFields } from '../pact.ts';
import { providerStates } from '../states.ts';
import type { Claims } from './claims.ts';
import type { Demand, Path } from './matching-rules.ts';
import { problemWith, usualCount } from './parameters.ts';

/**
 * One thing that a pact claims and the interface does not. `contradiction`: the interface says otherwise; `open`: it
 * leaves that to each implementation, by `gap`; `unreachable`: no operation brings a provider there.
 */
export interface Finding {
  readonly kind: 'contradiction' | 'open' | 'unreachable';
  readonly gap?: GapId;
  readonly message: string;
}

export type Rule = (claims: Claims) => readonly Finding[];

export function contradicts(message: string, gap?: GapId): Finding {
  return { kind: 'contradiction', message, ...(gap === undefined ? {} : { gap }) };
}

function open(gap: GapId, message: string): Finding {
  return { kind: 'open', gap, message };
}

function unreachable(message: string): Finding {
  return { kind: 'unreachable', message };
}

const { animalExists, animalsExist, noAnimalHasId, keyMissing, keyInvalid, limitExceeded } = providerStates;

export const isRead = ({ method, path }: Claims): boolean => method === 'GET' && /^\/pets\/[^/]+$/.test(path);
const isListing = ({ method, path }: Claims): boolean => method === 'GET' && path === '/pets';
const isCreation = ({ method, path }: Claims): boolean => method === 'POST' && path === '/pets';
/** Whether the key or the limit decides the answer, whatever else is asked. */
const isRefused = ({ status }: Claims): boolean => status === 401 || status === 429;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function asksForInt64({ path }: Claims): boolean {
  const reading = readJson(decoded(path.slice('/pets/'.length)));
  return 'value' in reading && isInt64(reading.value);
}

/** The animals that the body of an answer claims, each with its place. */
function animalsIn(claims: Claims): readonly (readonly [Path, Fields])[] {
  const { status, body } = claims;
  if (status === 200 && isListing(claims) && Array.isArray(body)) {
    return body.flatMap((one: unknown, at) => (isFields(one) ? [[[at], one] as const] : []));
  }
  const isAnimal = (status === 200 && isRead(claims)) || (status === 201 && isCreation(claims));
  return isAnimal && isFields(body) ? [[[], body]] : [];
}

/** Whether a place does with each of some values that the interface allows there. */
function acceptsAll({ accepts }: Demand, values: readonly unknown[]): boolean {
  return values.every((value) => accepts(value));
}

function show(path: Path): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
}

const errorStatuses = [400, 401, 404];
const codes = ['x', 'NOT_FOUND', 'not-found', 'E 404'];
const messages = ['x', 'Nichts gefunden.', 'No such thing'];

export const errors: Rule = ({ status, body, demand }) => {
  if (!errorStatuses.includes(status)) return [];
  if (body === '') return [contradicts(`response.body is empty, and a ${status} has an Error (§7)`)];
  if (!isFields(body)) return [];
  const isOpen = (field: string, values: readonly string[]): boolean =>
    typeof body[field] === 'string' && !acceptsAll(demand([field]), values);
  const field = body['status'];
  return [
    ...(isOpen('code', codes)
      ? [open('error-codes', `response.body.code has to be like ${JSON.stringify(body['code'])}; match its type`)]
      : []),
    ...(isOpen('message', messages)
      ? [open('error-codes', `response.body.message has to be like ${JSON.stringify(body['message'])}; match its type`)]
      : []),
    ...(Number.isInteger(field) && !demand(['status']).accepts(status)
      ? [contradicts(`response.body.status is ${field}, and §7 has it equal to the HTTP status ${status}`)]
      : []),
  ];
};

export const tooManyRequests: Rule = ({ status, body }) =>
  status === 429 && body !== undefined && body !== ''
    ? [open('too-many-requests-body', 'response.body is claimed of a 429; leave it out')]
    : [];

/** How many animals the states of an interaction bring about, of a status if one is named. */
function animalsOfStates({ interaction }: Claims, status: string | undefined): number {
  return interaction.states
    .filter(({ params }) => status === undefined || params['status'] === status)
    .map(({ name, params }) => {
      if (name === animalExists.name) return 1;
      return name === animalsExist.name ? Number(params['count'] ?? usualCount) : 0;
    })
    .reduce((sum, count) => sum + count, 0);
}

export const pages: Rule = (claims) => {
  const { body, status, query, demand, interaction } = claims;
  if (!isListing(claims) || status !== 200 || !Array.isArray(body)) return [];
  const { least, most, isWhole } = demand([]);
  const limit = Number(query.get('limit')?.[0] ?? 20);
  const filter = query.get('status')?.[0];
  const wanted = isWhole ? body.length : (least ?? Math.min(body.length, 1));
  if (isWhole && body.length !== limit) {
    return body.length > 1
      ? [open('list-order', `response.body is ${body.length} animals in this order; match each one alike`)]
      : [unreachable(`response.body has to be ${body.length} animals, and others may be there`)];
  }
  if (isWhole && body.length > 1) {
    return [open('list-order', `response.body is ${body.length} animals in this order; match each one alike`)];
  }
  if (wanted > limit)
    return [contradicts(`response.body has ${wanted} animals or more, and the limit is ${limit} (§4.1)`)];
  if (most !== undefined && most < limit) {
    return [unreachable(`response.body has at most ${most} animals, and others may be there: send limit=${most}`)];
  }
  // A page is full without a state at no provider that has just begun.
  const there = animalsOfStates(claims, isPetStatus(filter) ? filter : undefined);
  if (interaction.states.some((state) => problemWith(state) !== undefined) || there >= wanted) return [];
  const state = `name "${wanted > 1 ? animalsExist.name : animalExists.name}"`;
  const parameters = [...(wanted > 1 ? [`count ${wanted}`] : []), ...(isPetStatus(filter) ? [`status ${filter}`] : [])];
  const given = parameters.length === 0 ? '' : ` with ${parameters.join(' and ')}`;
  return [unreachable(`response.body has ${wanted} animals or more only in a state: ${state}${given}`)];
};

/** The status that every animal of an answer is sure to have; undefined where nothing says so. */
function surelyOf(claims: Claims): unknown {
  if (isCreation(claims)) return isFields(claims.sent) ? claims.sent['status'] : undefined;
  if (isListing(claims)) return claims.query.get('status')?.[0];
  return claims.interaction.states.findLast(({ name }) => name === animalExists.name)?.params['status'];
}

export const statuses: Rule = (claims) => {
  const sure = surelyOf(claims);
  const claimed = animalsIn(claims).filter(([, animal]) => isPetStatus(animal['status']));
  return claimed.slice(0, 1).flatMap(([path, animal]): readonly Finding[] => {
    const where = `response.body${show([...path, 'status'])}`;
    if (!isPetStatus(sure)) {
      return [open('status-omitted', `${where} is claimed, and nothing says which one; leave it out, or name one`)];
    }
    const { accepts } = claims.demand([...path, 'status']);
    return accepts(sure) ? [] : [contradicts(`${where} is ${animal['status']}, and every animal here is ${sure}`)];
  });
};

const otherIds = [7, 4_000_000_000, -12];
const otherNames = ['cf-1a2b3c-07', 'A', 'b c'];
const otherCategories = [1, 42];

/** What is said of a value of a new animal, which only the request can have said. */
function judgeReturned(
  field: string,
  given: unknown,
  where: string,
  claims: Claims,
  demand: Demand,
): readonly Finding[] {
  const values = field === 'name' ? otherNames : otherCategories;
  if (claims.injected.has(field)) {
    return acceptsAll(demand, values)
      ? []
      : [unreachable(`${where} is fixed, and a state injects the ${field} that is sent`)];
  }
  return given === undefined || demand.accepts(given)
    ? []
    : [contradicts(`${where} is not ${JSON.stringify(given)}, and §4.2 returns the ${field} that was sent`)];
}

/** Values that only the state or the request can have said before. */
export const values: Rule = (claims) =>
  animalsIn(claims).flatMap(([path, animal]) =>
    ['id', 'name', 'categoryId'].flatMap((field): readonly Finding[] => {
      const type = typeof animal[field];
      if (type !== (field === 'name' ? 'string' : 'number')) return [];
      const where = `response.body${show([...path, field])}`;
      const demand = claims.demand([...path, field]);
      const example = JSON.stringify(animal[field]);
      if (field === 'id') {
        return acceptsAll(demand, otherIds)
          ? []
          : [unreachable(`${where} has to be like ${example}, and the service assigns ids; match its type`)];
      }
      if (isCreation(claims)) {
        return judgeReturned(field, isFields(claims.sent) ? claims.sent[field] : undefined, where, claims, demand);
      }
      // Of a page every animal is meant, of which others are there, unless it only has to hold one such.
      const isOneOfAll = isListing(claims) && !claims.demand([]).isContained;
      const given = isOneOfAll ? [] : claims.interaction.states.map(({ params }) => params[field]);
      const isGiven = given.some((value) => value !== undefined && String(value) === String(animal[field]));
      const isLoose = acceptsAll(demand, field === 'name' ? otherNames : otherCategories);
      return isLoose || isGiven
        ? []
        : [unreachable(`${where} has to be like ${example}; give it to the state of one animal, or match its type`)];
    }),
  );

const gapHeaders: Readonly<Record<string, GapId>> = {
  location: 'location-header',
  'www-authenticate': 'www-authenticate',
  sunset: 'deprecation-headers',
  deprecation: 'deprecation-headers',
  link: 'deprecation-headers',
};

/** Values that a header may have at one provider or another. */
const headerValues: Readonly<Record<string, readonly string[]>> = {
  'content-type': ['application/json', 'application/json; charset=utf-8', 'application/json;charset=UTF-8'],
  'retry-after': ['7', '86400', 'Sat, 21 Nov 2026 08:49:37 GMT'],
  'x-ratelimit-limit': ['60', '1000', '7'],
  'x-ratelimit-remaining': ['0', '59', '9999'],
  'x-ratelimit-reset': ['1795228800', '1999999999'],
};

export const headers: Rule = (claims) =>
  Object.keys(claims.headers).flatMap((name): readonly Finding[] => {
    const gap = gapHeaders[name];
    const value = JSON.stringify(claims.headers[name]);
    if (gap !== undefined) return [open(gap, `response.headers.${name} is claimed; leave it out`)];
    const allowed = headerValues[name];
    if (allowed === undefined) return [contradicts(`response.headers.${name} is promised by no sentence`)];
    // The verifier takes a plain media type for any parameters.
    const isPlain = name === 'content-type' && claims.headerDemand(name).isWhole && value === '"application/json"';
    if (isPlain || acceptsAll(claims.headerDemand(name), allowed)) return [];
    if (name === 'retry-after') {
      return [open('retry-after-form', `response.headers.${name} has to have one form; match both, or leave it out`)];
    }
    if (name === 'content-type') {
      return /^"application\/json/i.test(value)
        ? [
            unreachable(
              `response.headers.${name} has to be ${value}, and parameters may differ; match application/json`,
            ),
          ]
        : [];
    }
    return [unreachable(`response.headers.${name} has to be like ${value}; match digits`)];
  });

export const queries: Rule = (claims) => {
  if (!isListing(claims) || isRefused(claims)) return [];
  return [...claims.query].flatMap(([name, [value = '', ...more]]): readonly Finding[] => {
    const told = `request.query.${name} is ${JSON.stringify(value)}`;
    if (name !== 'limit' && name !== 'status') return [open('unknown-query-parameters', `${told}, and is not listed`)];
    if (more.length > 0) return [open('unknown-query-parameters', `request.query.${name} is there more than once`)];
    if (name === 'status') return isPetStatus(value) ? [] : [open('status-filter-unknown', told)];
    if (!/^-?\d+$/.test(value)) return [open('limit-not-integer', told)];
    return Number(value) < 1 || Number(value) > 100 ? [open('limit-out-of-range', told)] : [];
  });
};

/** Which part of a body it is that the interface leaves open. */
function openPart(sent: unknown): Finding | undefined {
  if (!isFields(sent)) return undefined;
  if ('id' in sent) return open('client-sent-id', 'request.body has an id');
  const more = Object.keys(sent).find((field) => !['name', 'categoryId', 'status'].includes(field));
  return more === undefined
    ? undefined
    : open('extra-body-fields', `request.body has the field ${more}, which is not listed`);
}

export const bodies: Rule = (claims) => {
  const { sent, sentHeaders, status } = claims;
  if (!isCreation(claims) || isRefused(claims)) return [];
  const type = sentHeaders['content-type'] ?? 'application/json';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    return [open('other-media-type', `request.headers.content-type is ${type}`)];
  }
  const body = sent === undefined ? '' : typeof sent === 'string' ? sent : JSON.stringify(sent);
  const reading = readNewPet({ request: { method: 'POST', target: '/pets', contentType: type, body } });
  const part = openPart(sent);
  if (reading.kind === 'invalid') {
    return status === 201 ? [contradicts(`request.body is ${reading.fault}, and §4.2 answers 400 to it`)] : [];
  }
  if (part !== undefined) return [part];
  if (reading.kind === 'open') return [];
  const name = JSON.stringify(reading.pet.name);
  if (!reading.isPlainName) {
    return [open('name-limits', `request.body.name is ${name}, and only plain short names are sure to be accepted`)];
  }
  return status === 400
    ? [
        contradicts(
          'response.status is 400, and §4.2 answers 201 to a valid body of a known category',
          'known-categories',
        ),
      ]
    : [];
};

export const paths: Rule = (claims) =>
  isRead(claims) && !asksForInt64(claims) && !isRefused(claims)
    ? [open('pet-id-not-int64', `request.path is ${JSON.stringify(claims.path)}, which asks for no int64`)]
    : [];

/** The only status that an interaction in a state can have, and where it says so. */
const statusIn: readonly (readonly [string, number, (claims: Claims) => boolean, string])[] = [
  [keyMissing.name, 401, () => true, '§5'],
  [keyInvalid.name, 401, () => true, '§5'],
  [limitExceeded.name, 429, () => true, '§8'],
  [noAnimalHasId.name, 404, isRead, '§4.3'],
  [animalExists.name, 200, isRead, '§4.3'],
];

/** What decides the answer: the key and the limit before all else, then the last state. */
function decisiveState(claims: Claims): (typeof statusIn)[number] | undefined {
  const named = claims.interaction.states.flatMap((state) =>
    statusIn.filter(([name, , applies]) => name === state.name && applies(claims)),
  );
  return named.find(([, status]) => status === 401 || status === 429) ?? named.at(-1);
}

export const states: Rule = (claims) => {
  const { interaction, status, method, path } = claims;
  const needs = (state: { readonly name: string }): Finding =>
    unreachable(`${method} ${path} is ${status} only in a state: name "${state.name}"`);
  const problems = interaction.states.flatMap((state) => problemWith(state) ?? []).map(unreachable);
  const decisive = decisiveState(claims);
  // A key that is missing in the request decides before any animal.
  const isWrong = decisive !== undefined && decisive[1] !== status && !(status === 401 && decisive[1] !== 429);
  const wrong = isWrong
    ? [
        contradicts(
          `response.status is ${status}, and in the state "${decisive[0]}" it is ${decisive[1]} (${decisive[3]})`,
        ),
      ]
    : [];
  if (interaction.states.length > 0) return [...problems, ...wrong];
  return [
    ...(status === 429 ? [needs(limitExceeded)] : []),
    ...(status === 404 && isRead(claims) && asksForInt64(claims) ? [needs(noAnimalHasId)] : []),
    ...(status === 200 && isRead(claims) ? [needs(animalExists)] : []),
  ];
};

export const rules: readonly Rule[] = [
  errors,
  tooManyRequests,
  pages,
  statuses,
  values,
  headers,
  queries,
  bodies,
  paths,
  states,
];
