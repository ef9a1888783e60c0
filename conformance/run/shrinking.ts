/** Looks for smaller requests that show a failure as well: it sends them, and keeps each that does. */

import type { Exchange } from '../http/exchange.ts';
import { isJsonObject, type JsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';
import { animalsOf } from '../http/read-response.ts';
import { isSameFailure, type Step, shortestSequence, smallestFailures, stepOf } from '../verdict/counterexample.ts';
import { type Counterexample, isFailing } from '../verdict/finding.ts';
import { nameIn } from '../verdict/names.ts';
import { BudgetSpent } from './budget.ts';
import { isPatient, NotRepeatable, resend } from './resend.ts';
import type { ScenarioContext } from './scenario.ts';
import type { Session } from './session.ts';

type Shown = Pick<Counterexample, 'finding' | 'exchanges'>;

/** Requests whose target and body together are shorter are small enough, unless the body has white space or escapes. */
const smallEnough = 90;
/** Longer sequences are not shrunk: every attempt sends all of their requests. */
const longestSequence = 3;
/** So many characters of a name are kept before and from the first one that came back different. */
const nearBefore = 2;
const nearAfter = 8;
/** A name is cut into so many parts at most, each of which is left out once. */
const mostParts = 8;

function sizeOf({ request: { target, body = '' } }: Step): number {
  return target.length + body.length;
}

function bodyOf({ request }: Step): JsonObject | undefined {
  const reading = readJson(request.body ?? '');
  return 'value' in reading && isJsonObject(reading.value) ? reading.value : undefined;
}

function isSmallEnough(step: Step): boolean {
  const pet = bodyOf(step);
  return sizeOf(step) <= smallEnough && (pet === undefined || writeJson(pet) === step.request.body);
}

/** The plainest names: one letter where the target is the user's alone, else a name of the run. */
function plainNames({ settings }: Session, body: string): readonly string[] {
  const own = nameIn(body, settings);
  return [...(settings.isDisposable ? ['a'] : []), ...(own === undefined ? [] : [own])];
}

/** The name without one of its parts: halves first, then smaller ones. */
function withoutParts(name: string): readonly string[] {
  const points = [...name];
  const cuts: string[] = [];
  for (let count = 2; count <= mostParts && count <= points.length; count *= 2) {
    const size = Math.ceil(points.length / count);
    for (let from = 0; from < points.length; from += size) {
      cuts.push([...points.slice(0, from), ...points.slice(from + size)].join(''));
    }
  }
  return cuts.filter((cut) => cut !== '');
}

/** What stands around the first character that came back different: first near it, then with all that stands before it. */
function changedParts(sent: string, received: string): readonly string[] {
  const [points, others] = [[...sent], [...received]];
  const at = points.findIndex((point, place) => point !== others[place]);
  if (at < 0) return [];
  return [points.slice(Math.max(0, at - nearBefore), at + nearAfter), points.slice(0, at + 1)].map((part) =>
    part.join(''),
  );
}

const shownFields: ReadonlySet<string> = new Set(['name', 'categoryId', 'status']);

/** Smaller objects in place of one, those that keep a single unusual field first. */
function smallerPets(
  session: Session,
  pet: JsonObject,
  body: string,
  received: readonly string[],
): readonly JsonObject[] {
  const { name, categoryId } = pet;
  const isText = typeof name === 'string';
  const isNumber = typeof categoryId === 'bigint';
  const shown = Object.fromEntries(Object.entries(pet).filter(([field]) => shownFields.has(field)));
  const { status: _status, ...required } = shown;
  const [plainest = name] = plainNames(session, body);
  const replace = (field: string, value: JsonValue | undefined): JsonObject =>
    value === undefined ? required : { ...required, [field]: value };
  const plain: JsonObject = { ...required, ...(isText && plainest !== undefined ? { name: plainest } : {}) };
  const alone: readonly JsonObject[] = [
    ...(isNumber ? [{ ...plain, categoryId: 1n }] : []),
    plain,
    ...(isNumber ? [replace('categoryId', 1n)] : []),
    required,
    ...(isText && plainest !== undefined ? [{ ...shown, name: plainest }] : []),
    shown,
  ];
  const unknown = Object.entries(pet).filter(([field]) => !shownFields.has(field));
  const single = unknown.map(([field, value]) => ({ ...plain, [field]: value }));
  const renamed = isText ? plainNames(session, body).map((one) => ({ ...pet, name: one })) : [];
  // Elsewhere a name keeps the tag of the run.
  const mayRename = isText && session.settings.isDisposable;
  const cut = mayRename ? withoutParts(name).map((one) => ({ ...pet, name: one })) : [];
  const changed = mayRename ? received.flatMap((one) => changedParts(name, one)) : [];
  const [plainestPet = plain, ...others] = alone;
  return [plainestPet, ...changed.map((one) => ({ ...plain, name: one })), ...others, ...single, ...renamed, ...cut];
}

/** Smaller bodies, and targets with one parameter less. */
function smallerSteps(session: Session, step: Step, received: readonly string[]): readonly Step[] {
  const { request } = step;
  const { target, body = '' } = request;
  const [path = '', query = ''] = target.split('?');
  const parameters = query.split('&');
  const targets =
    parameters.length < 2
      ? []
      : parameters.map((_one, at) => `${path}?${parameters.filter((_other, other) => other !== at).join('&')}`);
  const pet = bodyOf(step);
  const bodies = pet === undefined ? [] : smallerPets(session, pet, body, received).map(writeJson);
  return [
    ...targets.map((shorter) => ({ ...step, request: { ...request, target: shorter } })),
    ...bodies.map((shorter) => ({ ...step, request: { ...request, body: shorter } })),
  ].filter((smaller) => sizeOf(smaller) < sizeOf(step));
}

/** So many requests may be spent on smaller ones. */
export interface Allowance {
  left: number;
}

/** A quarter of what is left of the budget, but in a small budget what the rechecks have left. */
export function allowanceFor({ budget }: Session): Allowance {
  const left = budget.requestsLeft();
  return { left: Math.min(left, 40, Math.max(12, Math.floor(left / 4))) };
}

/** Sends a smaller sequence; resolves with the failure as it shows it, if it does. */
async function attempt(
  session: Session,
  { judge, suite }: ScenarioContext,
  steps: readonly Step[],
  { finding }: Shown,
): Promise<Shown | undefined> {
  const exchanges = await resend(session, suite, steps);
  const same = judge(exchanges, finding.requirement)
    .filter(isFailing)
    .find((other) => isSameFailure(other, finding));
  return same === undefined ? undefined : { finding: same, exchanges };
}

/** The smallest evidence for the failure among all exchanges: a smaller request for another requirement may show it, too. */
function smallestKnown({ exchanges }: Session, { judge }: ScenarioContext, found: Shown): Shown {
  const { requirement } = found.finding;
  const known = smallestFailures(judge(exchanges, requirement)).find((failing) => failing.requirement === requirement);
  if (known === undefined || known.failure.code !== found.finding.failure.code) return found;
  return shortestSequence(judge, exchanges, known);
}

/** The name of the only animal in an answer. */
function nameShownIn(exchange: Exchange): readonly string[] {
  const [animal, ...others] = animalsOf(exchange);
  const name = others.length === 0 ? animal?.['name'] : undefined;
  return typeof name === 'string' ? [name] : [];
}

const sizeOfAll = (exchanges: Shown['exchanges']): number =>
  exchanges.reduce((sum, exchange) => sum + sizeOf(stepOf(exchange)), 0);

/** Resolves with a smaller counterexample; undefined where the known one is small enough. */
export async function shrink(
  session: Session,
  context: ScenarioContext,
  found: Shown,
  allowance: Allowance,
): Promise<Omit<Counterexample, 'recheck'> | undefined> {
  let shown = smallestKnown(session, context, found);
  const isSmaller = sizeOfAll(shown.exchanges) < sizeOfAll(found.exchanges);
  const isLong = ({ exchanges }: Shown): boolean => !exchanges.map(stepOf).every(isSmallEnough);
  const isTooCostly = shown.exchanges.length > longestSequence || isPatient(session, shown.exchanges.map(stepOf));
  if (!isLong(shown) || isTooCostly) return isSmaller ? shown : undefined;
  const tried = new Set<string>();
  const keyOf = (steps: readonly Step[]): string => JSON.stringify(steps.map(({ request }) => request));
  for (;;) {
    const steps = shown.exchanges.map(stepOf);
    const received = shown.exchanges.flatMap(nameShownIn);
    const next = steps
      .flatMap((step, at) => smallerSteps(session, step, received).map((smaller) => steps.with(at, smaller)))
      .find((smaller) => !tried.has(keyOf(smaller)));
    if (next === undefined || !isLong(shown)) return { ...shown, shrinking: 'finished' };
    if (allowance.left < next.length) return { ...shown, shrinking: 'stopped' };
    tried.add(keyOf(next));
    allowance.left -= next.length;
    try {
      shown = (await attempt(session, context, next, shown)) ?? shown;
    } catch (error) {
      if (error instanceof BudgetSpent) return { ...shown, shrinking: 'stopped' };
      if (!(error instanceof NotRepeatable)) throw error;
    }
  }
}
