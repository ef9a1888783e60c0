/** Evaluates Pact's matching rules: which values does a place allow? */

import { type Context, createContext, Script } from 'node:vm';
import { patternPatienceMs } from '../../conformance/http/tolerances.ts';
import { type Fields, fieldsOf, isFields, toText } from '../pact.ts';

/** A place in a body: field names and array positions. */
export type Path = readonly (string | number)[];

export interface Rule {
  readonly path: readonly string[];
  readonly matchers: readonly Fields[];
  readonly isAnyEnough: boolean;
}

/** The values that a pact allows at one place. */
export interface Constraint {
  readonly accepts: (value: unknown) => boolean;
  /** The fewest and the most entries of a list, if a rule bounds them. */
  readonly least: number | undefined;
  readonly most: number | undefined;
  /** Whether the value must equal the recorded one. */
  readonly isWhole: boolean;
  /** Whether a list only has to contain such entries. */
  readonly isContained: boolean;
}

/** Reads `$.pets[0]['name']` and `$.pets[*].name`; the root is the empty path. */
function readPath(text: string): readonly string[] {
  return [...text.replace(/^\$/, '').matchAll(/\.([\w$*-]+)|\[['"]?([^\]'"]*)['"]?\]/g)].map(
    ([, name, bracketed]) => name ?? bracketed ?? '',
  );
}

function ruleOf(path: readonly string[], rule: unknown): Rule {
  const fields = fieldsOf(rule);
  const matchers = Array.isArray(fields['matchers']) ? fields['matchers'].filter(isFields) : [fields];
  return { path, matchers, isAnyEnough: fields['combine'] === 'OR' };
}

/** The rules of one part of an answer. Version 2 has all rules in one list, by path. */
export function rulesOf(rules: unknown, part: 'body' | 'header'): readonly Rule[] {
  if (!isFields(rules)) return [];
  const ofPart = rules[part];
  // A header is named without a path.
  if (isFields(ofPart)) {
    return Object.entries(ofPart).map(([path, rule]) => ruleOf(path.startsWith('$') ? readPath(path) : [path], rule));
  }
  const names = part === 'body' ? ['body'] : ['headers', 'header'];
  return Object.entries(rules).flatMap(([text, rule]) => {
    const [first = '', ...path] = readPath(text);
    return names.includes(first) ? [ruleOf(path, rule)] : [];
  });
}

const search = new Script('new RegExp(pattern).test(text)');
/** To make one takes a hundred times as long as most searches. */
let context: Context | undefined;

/**
 * Whether a pattern matches. The verifier's patterns may be invalid in JavaScript or take too long; such a pattern counts
 * as a match, so that lint says nothing about it.
 */
function fits(pattern: unknown, text: string): boolean {
  try {
    context ??= createContext({});
    Object.assign(context, { pattern: toText(pattern), text });
    // The verifier finds the pattern anywhere in the text, as JavaScript does.
    return search.runInContext(context, { timeout: patternPatienceMs }) === true;
  } catch {
    return true;
  }
}

const isNumber = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint';

/** Whether one matcher allows a value. Unknown matchers count as allowing it. */
function allows(matcher: Fields, value: unknown, example: unknown): boolean {
  const { match, regex, value: wanted } = matcher;
  switch (match ?? (regex === undefined ? 'type' : 'regex')) {
    case 'equality':
      return Object.is(value, example);
    case 'regex':
      return fits(regex, toText(value));
    case 'include':
      return toText(value).includes(toText(wanted));
    case 'integer':
      return isNumber(value) && Number.isInteger(Number(value));
    case 'decimal':
      return isNumber(value) && !Number.isInteger(Number(value));
    case 'number':
      return isNumber(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'date':
    case 'time':
    case 'timestamp':
    case 'datetime':
    case 'semver':
      return false;
    case 'type':
      return typeof value === typeof example;
    default:
      return true;
  }
}

/** The rule that applies to a place: the longest one that fits, since rules cascade. */
function ruleFor(rules: readonly Rule[], path: Path): Rule | undefined {
  const isOn = (rule: Rule): boolean =>
    rule.path.length <= path.length && rule.path.every((part, at) => part === '*' || part === String(path[at]));
  return rules.filter(isOn).sort((one, other) => other.path.length - one.path.length)[0];
}

/** The rules of an entry that a list only has to contain. */
function variantRules(rule: Rule | undefined, position: string | number | undefined): readonly Rule[] | undefined {
  const variants = rule?.matchers.find(({ match }) => match === 'arrayContains')?.['variants'];
  if (!Array.isArray(variants)) return undefined;
  const variant = variants.filter(isFields).find(({ index }) => toText(index) === toText(position));
  return rulesOf({ body: variant?.['rules'] ?? {} }, 'body');
}

function numberIn(rule: Rule | undefined, name: 'min' | 'max'): number | undefined {
  const values = (rule?.matchers ?? []).map((matcher) => matcher[name]).filter((value) => typeof value === 'number');
  return values[0];
}

/** The values that a place allows under the rules of its part. Without a rule, only the example. */
export function constraintOf(rules: readonly Rule[], path: Path, example: unknown): Constraint {
  const variants = path.length > 1 ? variantRules(ruleFor(rules, []), path[0]) : undefined;
  const rule = variants === undefined ? ruleFor(rules, path) : ruleFor(variants, path.slice(1));
  const exact = rule?.path.length === path.length ? rule : undefined;
  return {
    accepts: (value) => {
      if (rule === undefined) return Object.is(value, example);
      const allowing = rule.matchers.filter((matcher) => allows(matcher, value, example));
      return rule.isAnyEnough ? allowing.length > 0 : allowing.length === rule.matchers.length;
    },
    least: numberIn(exact, 'min'),
    most: numberIn(exact, 'max'),
    isWhole: rule === undefined || rule.matchers.some(({ match }) => match === 'equality'),
    isContained: rule?.matchers.some(({ match }) => match === 'arrayContains') ?? false,
  };
}
