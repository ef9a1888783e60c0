/** What an interaction of a pact claims: its request, its answer, and which values of that are asserted to the letter. */

import { petStatuses } from '../conformance/request.ts';
import { type Fields, isFields, type PactInteraction, withoutBase } from './read-pact.ts';

/** A place in a body: names of fields and positions in arrays. */
export type Path = readonly (string | number)[];

/** One interaction, read the same way whatever its version. */
export interface Claims {
  readonly interaction: PactInteraction;
  readonly method: string;
  /** Without the path of the base address, which some consumers record. */
  readonly path: string;
  readonly query: ReadonlyMap<string, readonly string[]>;
  /** By lower-case name. */
  readonly sentHeaders: Readonly<Record<string, string>>;
  readonly sent: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the answer; undefined where none is claimed. */
  readonly body: unknown;
  /** Whether a value of the body has to be just this one. */
  readonly isExact: (path: Path) => boolean;
  /** Whether a header has to be just this one. */
  readonly isExactHeader: (name: string) => boolean;
  /** The regular expressions that a header has to match. */
  readonly headerPatterns: (name: string) => readonly string[];
}

interface Rule {
  readonly path: readonly string[];
  readonly matchers: readonly Fields[];
}

/** Reads `$.pets[0]['name']` and `$.pets[*].name`; the root is the empty path. */
function readPath(text: string): readonly string[] {
  return [...text.replace(/^\$/, '').matchAll(/\.([\w$*-]+)|\[['"]?([^\]'"]*)['"]?\]/g)].map(
    ([, name, bracketed]) => name ?? bracketed ?? '',
  );
}

function matchersOf(rule: unknown): readonly Fields[] {
  if (!isFields(rule)) return [];
  return Array.isArray(rule['matchers']) ? rule['matchers'].filter(isFields) : [rule];
}

/** The rules of one part of an answer; version 2 has all in one list, by path. */
function rulesOf(rules: unknown, part: 'body' | 'header'): readonly Rule[] {
  if (!isFields(rules)) return [];
  const own = rules[part];
  const start = part === 'body' ? '$.body' : '$.headers';
  const entries = isFields(own)
    ? Object.entries(own)
    : Object.entries(rules).flatMap(([path, rule]) =>
        path.startsWith(start) ? [[`$${path.slice(start.length)}`, rule] as const] : [],
      );
  return entries.map(([path, rule]) => ({
    // Headers stand by their name alone.
    path: path.startsWith('$') ? readPath(path) : [path],
    matchers: matchersOf(rule),
  }));
}

/** A regular expression that allows one text only. */
function isLiteral(pattern: unknown): boolean {
  return typeof pattern === 'string' && /^\^?[\w ,:'-]*\$?$/.test(pattern);
}

/** Whether matchers allow no value but the example. */
function demandsExample(matchers: readonly Fields[]): boolean {
  return matchers.some(
    ({ match, regex }) => match === 'equality' || ((match === 'regex' || regex !== undefined) && isLiteral(regex)),
  );
}

/** The rule that holds for a place: the longest that fits it, since rules pass on to what they hold. */
function ruleFor(rules: readonly Rule[], path: Path): Rule | undefined {
  const fits = (rule: Rule): boolean =>
    rule.path.length <= path.length && rule.path.every((part, at) => part === '*' || part === String(path[at]));
  return rules.filter(fits).sort((one, other) => other.path.length - one.path.length)[0];
}

function headersOf(headers: unknown): Readonly<Record<string, string>> {
  if (!isFields(headers)) return {};
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : String(value),
    ]),
  );
}

/** The value of a body: version 4 wraps it, and others have it as it is. */
function bodyOf(body: unknown, contentType = 'application/json'): unknown {
  const isWrapped = isFields(body) && 'content' in body;
  const value = isWrapped ? body['content'] : body;
  if (typeof value !== 'string' || !/json/.test(contentType)) return value ?? undefined;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function queryOf(query: unknown): ReadonlyMap<string, readonly string[]> {
  if (typeof query === 'string') {
    const parameters = new URLSearchParams(query);
    return new Map([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name)]));
  }
  if (!isFields(query)) return new Map();
  return new Map(Object.entries(query).map(([name, value]) => [name, [value].flat().map(String)]));
}

export function claimsOf(interaction: PactInteraction): Claims {
  const { request, response } = interaction;
  const sentHeaders = headersOf(request['headers']);
  const headers = headersOf(response['headers']);
  const rules = rulesOf(response['matchingRules'], 'body');
  const headerRules = rulesOf(response['matchingRules'], 'header');
  const headerRule = (name: string): Rule | undefined =>
    headerRules.find(({ path }) => path[0]?.toLowerCase() === name);
  return {
    interaction,
    method: String(request['method'] ?? 'GET').toUpperCase(),
    path: pathOf(request),
    query: queryOf(request['query']),
    sentHeaders,
    sent: bodyOf(request['body'], sentHeaders['content-type']),
    status: Number(response['status'] ?? 200),
    headers,
    body: bodyOf(response['body'], headers['content-type']),
    isExact: (path) => {
      const rule = ruleFor(rules, path);
      return rule === undefined || demandsExample(rule.matchers);
    },
    isExactHeader: (name) => {
      const rule = headerRule(name);
      return rule === undefined || demandsExample(rule.matchers);
    },
    headerPatterns: (name) =>
      (headerRule(name)?.matchers ?? []).flatMap(({ regex }) => (typeof regex === 'string' ? [regex] : [])),
  };
}

/** The path of a request below the base address. */
export function pathOf(request: Fields): string {
  return withoutBase(String(request['path'] ?? '/'));
}

export function isStatus(value: unknown): boolean {
  return petStatuses.some((status) => status === value);
}
