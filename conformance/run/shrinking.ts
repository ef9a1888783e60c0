/** Looks for smaller requests that show a failure as well: it sends them, and keeps each that does. */

import type { Exchange } from '../http/exchange.ts';
import { isJsonObject, type JsonObject, readJson, writeJson } from '../http/json.ts';
import { animalsOf } from '../http/read-response.ts';
import { isSameFailure, type Step, shortestSequence, smallestFailures, stepOf } from '../verdict/counterexample.ts';
import { type Counterexample, isFailing } from '../verdict/finding.ts';
import { nameIn } from '../world/names.ts';
import { BudgetSpent } from './budget.ts';
import { isPatient, NotRepeatable, resend } from './resend.ts';
import type { Session } from './session.ts';
import type { RunState } from './suite.ts';

type Shown = Pick<Counterexample, 'finding' | 'exchanges'>;

/** Requests whose target and body together are shorter are small enough, unless the body has white space or escapes. */
const smallEnough = 90;
/** Longer sequences are not shrunk: every attempt sends all of their requests. */
const longestSequence = 3;

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

/** Both halves of a name, and the name without each of its quarters and eighths. */
function shorterNames(name: string): readonly string[] {
  const points = [...name];
  return [2, 4, 8].flatMap((parts) => {
    const size = Math.ceil(points.length / parts);
    return Array.from({ length: parts }, (_, at) => points.toSpliced(at * size, size).join(''));
  });
}

/** What stands around the first character that came back different, and what stands up to it. */
function changedParts(sent: string, received: string): readonly string[] {
  const [points, others] = [[...sent], [...received]];
  const at = points.findIndex((point, place) => point !== others[place]);
  return at < 0 ? [] : [points.slice(Math.max(0, at - 2), at + 8), points.slice(0, at + 1)].map((one) => one.join(''));
}

/** The name of the only animal in an answer; the empty name where there are others. */
function nameShownIn(exchange: Exchange): string {
  const [animal, ...others] = animalsOf(exchange);
  return others.length === 0 ? String(animal?.['name'] ?? '') : '';
}

/** Plain objects in place of one, then those that keep one of its values, then those with a shorter name. */
function smallerPets(
  { settings }: Session,
  pet: JsonObject,
  body: string,
  received: readonly string[],
): readonly JsonObject[] {
  const { name, categoryId, status: _status, ...unknown } = pet;
  const isNamed = typeof name === 'string';
  // Where others see the animals, a name keeps the tag of the run.
  const plainName = settings.isDisposable ? 'a' : (nameIn(body, settings) ?? name);
  const plain: JsonObject = {
    ...('name' in pet && { name: isNamed ? plainName! : name! }),
    ...('categoryId' in pet && { categoryId: typeof categoryId === 'bigint' ? 1n : categoryId! }),
  };
  const single = Object.entries(pet).map(([field, value]) => ({ ...plain, [field]: value }));
  const shown = Object.fromEntries(Object.entries(pet).filter(([field]) => !(field in unknown)));
  const mayRename = isNamed && settings.isDisposable;
  const changed = mayRename ? received.flatMap((one) => changedParts(name, one)) : [];
  const cut = mayRename ? shorterNames(name) : [];
  return [
    plain,
    ...changed.map((one) => ({ ...plain, name: one })),
    ...single,
    shown,
    { ...pet, ...plain },
    ...cut.map((one) => ({ ...pet, name: one })),
  ];
}

/** Targets with one parameter less, and smaller bodies. */
function smallerSteps(session: Session, step: Step, received: readonly string[]): readonly Step[] {
  const { request } = step;
  const { target, body = '' } = request;
  const [path = '', query = ''] = target.split('?');
  const parameters = query.split('&');
  const targets = parameters.map((_, at) => `${path}?${parameters.toSpliced(at, 1).join('&')}`);
  const pet = bodyOf(step);
  const bodies = pet === undefined ? [] : smallerPets(session, pet, body, received).map(writeJson);
  return [
    ...(parameters.length < 2 ? [] : targets).map((shorter) => ({ ...request, target: shorter })),
    ...bodies.map((shorter) => ({ ...request, body: shorter })),
  ]
    .map((smaller) => ({ ...step, request: smaller }))
    .filter((smaller) => sizeOf(smaller) < sizeOf(step));
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
  { judge, suite }: RunState,
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
function smallestKnown({ exchanges }: Session, { judge }: RunState, found: Shown): Shown {
  const known = smallestFailures(judge(exchanges, found.finding.requirement)).find((failing) =>
    isSameFailure(failing, found.finding),
  );
  return known === undefined ? found : shortestSequence(judge, exchanges, known);
}

/** Resolves with the smallest counterexample that it finds: the known one where that is small enough, or costly to repeat. */
export async function shrink(
  session: Session,
  state: RunState,
  found: Shown,
  allowance: Allowance,
): Promise<Omit<Counterexample, 'recheck'>> {
  let shown = smallestKnown(session, state, found);
  let steps = shown.exchanges.map(stepOf);
  if (steps.every(isSmallEnough) || steps.length > longestSequence || isPatient(session, steps)) return shown;
  const tried = new Set<string>();
  const keyOf = (sequence: readonly Step[]): string => JSON.stringify(sequence.map(({ request }) => request));
  for (;;) {
    const received = shown.exchanges.map(nameShownIn).filter((name) => name !== '');
    const next = steps
      .flatMap((step, at) => smallerSteps(session, step, received).map((smaller) => steps.with(at, smaller)))
      .find((smaller) => !tried.has(keyOf(smaller)));
    if (next === undefined || steps.every(isSmallEnough)) return { ...shown, shrinking: 'finished' };
    if (allowance.left < next.length) return { ...shown, shrinking: 'stopped' };
    tried.add(keyOf(next));
    allowance.left -= next.length;
    try {
      shown = (await attempt(session, state, next, shown)) ?? shown;
      steps = shown.exchanges.map(stepOf);
    } catch (error) {
      if (error instanceof BudgetSpent) return { ...shown, shrinking: 'stopped' };
      if (!(error instanceof NotRepeatable)) throw error;
    }
  }
}
