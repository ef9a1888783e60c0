/** Says of a pact what contradicts the interface, what the interface leaves open, and what no provider state reaches. */

import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import * as comparison from '@pactflow/openapi-pact-comparator';
import { parse } from 'yaml';
import { isInt64, readJson } from '../conformance/json.ts';
import type { GapId } from '../spec/gaps.ts';
import { type Claims, claimsOf, isStatus, type Path, pathOf } from './claims.ts';
import { type Fields, isFields, type Pact, type PactInteraction } from './read-pact.ts';
import { isProviderState, providerStates } from './states.ts';

/**
 * One thing that a pact claims and the interface does not. `contradiction`: the interface says otherwise; `open`: it
 * leaves that to each implementation, by `gap`; `unreachable`: no operation brings a provider there.
 */
export interface Remark {
  readonly kind: 'contradiction' | 'open' | 'unreachable';
  /** The description of the interaction. */
  readonly interaction: string;
  readonly gap?: GapId;
  readonly message: string;
}

type Finding = Omit<Remark, 'interaction'>;
type Rule = (claims: Claims) => readonly Finding[];

const contradicts = (message: string, gap?: GapId): Finding => ({
  kind: 'contradiction',
  message,
  ...(gap === undefined ? {} : { gap }),
});
const open = (gap: GapId, message: string): Finding => ({ kind: 'open', gap, message });
const unreachable = (message: string): Finding => ({ kind: 'unreachable', message });

function isInt64Text(text: string): boolean {
  const reading = readJson(text);
  return 'value' in reading && isInt64(reading.value);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const { animalExists, animalsExist, noAnimalHasId, keyMissing, keyInvalid, limitExceeded } = providerStates;

const isRead = ({ method, path }: Claims): boolean => method === 'GET' && /^\/pets\/[^/]+$/.test(path);
const asksForInt64 = ({ path }: Claims): boolean => isInt64Text(decoded(path.slice('/pets/'.length)));
const isListing = ({ method, path }: Claims): boolean => method === 'GET' && path === '/pets';
const isCreation = ({ method, path }: Claims): boolean => method === 'POST' && path === '/pets';
const hasState = ({ interaction }: Claims, name: string): boolean =>
  interaction.states.some((state) => state.name === name);

/** The animals that the body of an answer claims, each with its place. */
function animalsIn({ status, body, ...claims }: Claims): readonly (readonly [Path, Fields])[] {
  if (status === 200 && Array.isArray(body)) {
    return body.flatMap((one: unknown, at) => (isFields(one) ? [[[at], one] as const] : []));
  }
  const isAnimal = (status === 200 && isRead({ status, body, ...claims })) || status === 201;
  return isAnimal && isFields(body) ? [[[], body]] : [];
}

const errorStatuses = [400, 401, 404];

const errors: Rule = ({ status, body, isExact }) => {
  if (!errorStatuses.includes(status) || !isFields(body)) return [];
  const { code, message, status: field } = body;
  return [
    ...(code !== undefined && isExact(['code'])
      ? [open('error-codes', `response.body.code has to be ${JSON.stringify(code)}; match its type`)]
      : []),
    ...(message !== undefined && isExact(['message'])
      ? [open('error-codes', `response.body.message has to be ${JSON.stringify(message)}; match its type`)]
      : []),
    ...(Number.isInteger(field) && field !== status && isExact(['status'])
      ? [contradicts(`response.body.status is ${field}, and §7 has it equal to the HTTP status ${status}`)]
      : []),
  ];
};

const tooManyRequests: Rule = ({ status, body }) =>
  status === 429 && body !== undefined && body !== null && body !== ''
    ? [open('too-many-requests-body', 'response.body is claimed of a 429; leave it out')]
    : [];

const order: Rule = (claims) => {
  if (!isListing(claims) || claims.status !== 200 || !Array.isArray(claims.body)) return [];
  if (!claims.isExact([])) return [];
  return claims.body.length === 0
    ? [unreachable('response.body is an empty page, and other animals may be there')]
    : [open('list-order', `response.body is ${claims.body.length} animals in this order; match each one alike`)];
};

const defaultStatus: Rule = (claims) => {
  const isSaid =
    (isCreation(claims) && isFields(claims.sent) && claims.sent['status'] !== undefined) ||
    (isListing(claims) && claims.query.has('status')) ||
    (!isCreation(claims) && claims.interaction.states.some(({ params }) => isStatus(params['status'])));
  return animalsIn(claims).some(([, animal]) => isStatus(animal['status'])) && !isSaid
    ? [open('status-omitted', 'response.body has a status, and none was sent; leave it out, or say which one')]
    : [];
};

/** Values that only the state or the request can have said before. */
const exactValues: Rule = (claims) =>
  animalsIn(claims).flatMap(([path, animal]) => {
    const given = isCreation(claims) && isFields(claims.sent) ? claims.sent : undefined;
    return ['id', 'name', 'categoryId'].flatMap((field): readonly Finding[] => {
      const value = animal[field];
      if (value === undefined || !claims.isExact([...path, field])) return [];
      const where = `response.body${path.map((at) => `[${at}]`).join('')}.${field}`;
      if (field === 'id')
        return [unreachable(`${where} has to be ${value}, and the service assigns ids; match its type`)];
      if (given !== undefined) {
        return given[field] === undefined || given[field] === value
          ? []
          : [contradicts(`${where} has to be ${JSON.stringify(value)}, and §4.2 returns the ${field} that was sent`)];
      }
      const isGiven = claims.interaction.states.some(({ params }) => params[field] === value);
      return isGiven
        ? []
        : [unreachable(`${where} has to be ${JSON.stringify(value)}; give it to the state, or match its type`)];
    });
  });

const gapHeaders: Readonly<Record<string, GapId>> = {
  location: 'location-header',
  'www-authenticate': 'www-authenticate',
  sunset: 'deprecation-headers',
  deprecation: 'deprecation-headers',
  link: 'deprecation-headers',
};

const headers: Rule = (claims) =>
  Object.keys(claims.headers).flatMap((name): readonly Finding[] => {
    const gap = gapHeaders[name];
    if (gap !== undefined) return [open(gap, `response.headers.${name} is claimed; leave it out`)];
    if (/^x-ratelimit-(limit|remaining|reset)$/.test(name)) {
      return claims.isExactHeader(name)
        ? [unreachable(`response.headers.${name} has to be ${claims.headers[name]}; match digits`)]
        : [];
    }
    if (name === 'retry-after') {
      const allows = (text: string): boolean =>
        claims.headerPatterns(name).every((pattern) => safeTest(pattern, text)) && !claims.isExactHeader(name);
      return allows('7') && allows('Sat, 21 Nov 2026 08:49:37 GMT')
        ? []
        : [open('retry-after-form', `response.headers.${name} has to have one form; match both, or leave it out`)];
    }
    return name === 'content-type' ? [] : [contradicts(`response.headers.${name} is promised by no sentence`)];
  });

const patienceMs = 100;

/** A pattern of the verifier, which is none of JavaScript at times, or takes for ever: then nothing is said of it. */
function safeTest(pattern: string, text: string): boolean {
  try {
    return runInNewContext('new RegExp(pattern).test(text)', { pattern, text }, { timeout: patienceMs }) === true;
  } catch {
    return true;
  }
}

const queries: Rule = (claims) => {
  if (!isListing(claims) || claims.status === 401 || claims.status === 429) return [];
  const [limit] = claims.query.get('limit') ?? [];
  const [status] = claims.query.get('status') ?? [];
  const unknown = [...claims.query.keys()].filter((name) => name !== 'limit' && name !== 'status');
  return [
    ...(limit !== undefined && !/^-?\d+$/.test(limit)
      ? [open('limit-not-integer', `request.query.limit is ${JSON.stringify(limit)}`)]
      : []),
    ...(limit !== undefined && /^-?\d+$/.test(limit) && (Number(limit) < 1 || Number(limit) > 100)
      ? [open('limit-out-of-range', `request.query.limit is ${limit}`)]
      : []),
    ...(status !== undefined && !isStatus(status)
      ? [open('status-filter-unknown', `request.query.status is ${JSON.stringify(status)}`)]
      : []),
    ...unknown.map((name) => open('unknown-query-parameters', `request.query.${name} is not listed`)),
  ];
};

const bodies: Rule = (claims) => {
  const { sent, sentHeaders, status } = claims;
  if (!isCreation(claims) || status === 401 || status === 429) return [];
  const type = sentHeaders['content-type'];
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
    return [open('other-media-type', `request.headers.content-type is ${type}`)];
  }
  if (!isFields(sent) || status !== 201) return [];
  const more = Object.keys(sent).filter((field) => !['name', 'categoryId', 'status', 'id'].includes(field));
  const name = sent['name'];
  return [
    ...('id' in sent ? [open('client-sent-id', 'request.body has an id')] : []),
    ...more.map((field) => open('extra-body-fields', `request.body has the field ${field}, which is not listed`)),
    ...(typeof name === 'string' && !/^[A-Za-z0-9][A-Za-z0-9 -]{0,29}$/.test(name)
      ? [
          open(
            'name-limits',
            `request.body.name is ${JSON.stringify(name)}, and only plain short names are sure to be accepted`,
          ),
        ]
      : []),
  ];
};

const paths: Rule = (claims) =>
  isRead(claims) && !asksForInt64(claims) && claims.status !== 401 && claims.status !== 429
    ? [open('pet-id-not-int64', `request.path is ${JSON.stringify(claims.path)}, which asks for no int64`)]
    : [];

/** The only status that an interaction in a state can have. */
const statusIn: readonly (readonly [string, number, (claims: Claims) => boolean, string])[] = [
  [keyMissing.name, 401, () => true, '§5'],
  [keyInvalid.name, 401, () => true, '§5'],
  [limitExceeded.name, 429, () => true, '§8'],
  [noAnimalHasId.name, 404, isRead, '§4.3'],
  [animalExists.name, 200, isRead, '§4.3'],
];

const states: Rule = (claims) => {
  const { interaction, status, body, method, path } = claims;
  const needs = (state: { readonly name: string }): Finding =>
    unreachable(`${method} ${path} is ${status} only in a state: name "${state.name}"`);
  const unknown = interaction.states
    .filter(({ name }) => !isProviderState(name))
    .map(({ name }) => unreachable(`no operation reaches the state "${name}"`));
  // Where the key or the limit decides, nothing else does.
  const decisive = statusIn.find(([name, , applies]) => hasState(claims, name) && applies(claims));
  const wrong =
    decisive !== undefined && decisive[1] !== status
      ? [
          contradicts(
            `response.status is ${status}, and in the state "${decisive[0]}" it is ${decisive[1]} (${decisive[3]})`,
          ),
        ]
      : [];
  if (interaction.states.length > 0) return [...unknown, ...wrong];
  const isFullPage = isListing(claims) && status === 200 && Array.isArray(body) && body.length > 0;
  return [
    ...(status === 429 ? [needs(limitExceeded)] : []),
    ...(status === 404 && isRead(claims) && asksForInt64(claims) ? [needs(noAnimalHasId)] : []),
    ...(status === 200 && isRead(claims) ? [needs(animalExists)] : []),
    ...(isFullPage ? [needs(body.length > 1 ? animalsExist : animalExists)] : []),
  ];
};

const rules: readonly Rule[] = [
  errors,
  tooManyRequests,
  order,
  defaultStatus,
  exactValues,
  headers,
  queries,
  bodies,
  paths,
  states,
];

interface Complaint {
  readonly code: string;
  readonly message: string;
  readonly mockDetails?: { readonly interactionDescription?: string; readonly location?: string };
}

/** The library's own types name files without an extension, which cannot be found from here. */
const { Comparator } = comparison as unknown as {
  readonly Comparator: new (documents: {
    readonly oas: object;
  }) => {
    readonly compare: (pact: object) => AsyncIterable<Complaint>;
  };
};

/** What the rules above tell better, since openapi.yaml cannot say that something is open. */
function isToldByRule({ code, message }: Complaint, claims: Claims): boolean {
  const { path, status } = claims;
  const isOpenRequest = [queries, bodies, paths].some((rule) => rule(claims).length > 0);
  if (isOpenRequest && status >= 400 && status < 500 && /^response\.status\.unknown$/.test(code)) return true;
  if (/^request\.(query|content-type)\./.test(code)) return true;
  if (status === 429 && /^response\.(body|content-type)\.unknown$/.test(code)) return true;
  if (code === 'request.path-or-method.unknown' && /^\/pets\/[^/]+$/.test(path)) return !/: (?!GET )/.test(message);
  return /^response\.header\.unknown$/.test(code);
}

function remarkOf({ message, mockDetails }: Complaint): Finding {
  const where = (mockDetails?.location ?? '').replace(/^\[root\]\.interactions\[\d+\]\.?/, '');
  const what = message.replace(/ (is incompatible with|not defined in) .*? in the spec file(?=:)/, '');
  const gap = /additional properties/.test(message) ? 'extra-response-fields' : undefined;
  return contradicts(where === '' ? what : `${where}: ${what}`, gap);
}

const openapi = parse(readFileSync(new URL('../spec/openapi.yaml', import.meta.url), 'utf8')) as object;

/** What openapi.yaml says of one interaction. */
async function compare(pact: Pact, interaction: PactInteraction, at: number): Promise<readonly Finding[]> {
  const all = pact.document['interactions'] as readonly Fields[];
  const request = { ...interaction.request, path: pathOf(interaction.request) };
  const alone = { ...pact.document, interactions: [{ ...all[at], request }] };
  const claims = claimsOf(interaction);
  const findings: Finding[] = [];
  for await (const complaint of new Comparator({ oas: openapi }).compare(alone)) {
    if (!isToldByRule(complaint, claims)) findings.push(remarkOf(complaint));
  }
  return findings;
}

/** Lints a pact, sending nothing. */
export async function lintPact(pact: Pact): Promise<readonly Remark[]> {
  const remarks: Remark[] = [];
  for (const [at, interaction] of pact.interactions.entries()) {
    const findings = interaction.isHttp
      ? [...(await compare(pact, interaction, at)), ...rules.flatMap((rule) => rule(claimsOf(interaction)))]
      : [contradicts('it is a message, and the interface shows none', 'events')];
    remarks.push(...findings.map((finding) => ({ ...finding, interaction: interaction.description })));
  }
  return remarks;
}

const words: Readonly<Record<Remark['kind'], string>> = {
  contradiction: 'contradicts the interface',
  open: 'claims what the interface leaves open',
  unreachable: 'claims what no provider state reaches',
};

/** One line for a person. */
export function showRemark({ kind, interaction, gap, message }: Remark): string {
  return `"${interaction}" ${words[kind]}${gap === undefined ? '' : ` (gap ${gap})`}: ${message}`;
}
