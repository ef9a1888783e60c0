/** Rechecks failures: sends the requests that show them once more, and then smaller ones in their place. */

import { type RequirementId, requirements } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { isJsonObject, type JsonObject, readJson, writeJson } from '../http/json.ts';
import { animalsOf } from '../http/read-response.ts';
import { isSameFailure, type Step, shortestSequence, smallestFailures, stepOf } from '../verdict/counterexample.ts';
import { type Counterexample, isFailing, type Recheck } from '../verdict/finding.ts';
import { isOutage, lastingOutages } from '../world/evidence.ts';
import { nameIn } from '../world/names.ts';
import type { Settings } from '../world/settings.ts';
import { BudgetSpent } from './budget.ts';
import { NotRepeatable, resend, wasSettled } from './resend.ts';
import type { Session } from './session.ts';
import type { RunState } from './suite.ts';

type Shown = Pick<Counterexample, 'finding' | 'exchanges'>;

/** Longer sequences are not sent again: the requests are better spent on what has not been tried yet. */
const longestRecheck = 8;
/** Longer sequences are not made smaller: every attempt sends all of their requests. */
const longestShrunk = 3;
/** A target and a body that are shorter together are small enough, unless the body has white space or escapes. */
const smallEnough = 90;

/** Whether a requirement fails in the new exchanges, alone or together with the rest of the run. */
function failsAgain(
  { exchanges }: Session,
  { judge }: RunState,
  again: readonly Exchange[],
  id: RequirementId,
): boolean {
  const failures = [again, exchanges].map((all) =>
    judge(all, id).filter((one) => isFailing(one) && one.requirement === id),
  );
  const [alone = [], together = []] = failures;
  return alone.length > 0 || together.some((one) => one.exchanges.some((exchange) => again.includes(exchange)));
}

/** Sends a failing sequence once more, if it is short and the budget allows. */
async function recheck(session: Session, state: RunState, { finding, exchanges }: Shown): Promise<Recheck> {
  // These requests have been repeated several times already.
  if (finding.isConfirmed || lastingOutages(exchanges).size > 0) return 'fails-again';
  const isTooCostly =
    exchanges.length > Math.min(longestRecheck, session.budget.requestsLeft()) ||
    exchanges.some(({ credential }) => credential.kind === 'rate-limit');
  if (isTooCostly) return 'not-asked-again';
  try {
    const again = await resend(session, state.suite, exchanges.map(stepOf));
    if (again.some(isOutage)) return 'not-asked-again';
    return failsAgain(session, state, again, finding.requirement) ? 'fails-again' : 'flaky';
  } catch (error) {
    if (error instanceof BudgetSpent || error instanceof NotRepeatable) return 'not-asked-again';
    throw error;
  }
}

function sizeOf({ request: { target, body = '' } }: Step): number {
  return target.length + body.length;
}

function petIn({ request }: Step): JsonObject | undefined {
  const reading = readJson(request.body ?? '');
  return 'value' in reading && isJsonObject(reading.value) ? reading.value : undefined;
}

function isSmallEnough(step: Step): boolean {
  const pet = petIn(step);
  return sizeOf(step) <= smallEnough && (pet === undefined || writeJson(pet) === step.request.body);
}

/** Both halves of a name, and the name without each of its quarters and eighths. */
function cutNames(name: string): readonly string[] {
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

/** Plain objects in place of one, then those that keep or lose one of its values, then those with a shorter name. */
function smallerPets(
  settings: Settings,
  step: Step,
  pet: JsonObject,
  received: readonly string[],
): readonly JsonObject[] {
  const { name, categoryId } = pet;
  // Where others see the animals, a name keeps the tag of the run.
  const plainName = settings.isDisposable ? 'a' : nameIn(step.request.body ?? '', settings);
  const plain: JsonObject = {
    ...('name' in pet && { name: typeof name === 'string' ? (plainName ?? name) : name! }),
    ...('categoryId' in pet && { categoryId: typeof categoryId === 'bigint' ? 1n : categoryId! }),
  };
  const fields = Object.entries(pet);
  const hard = typeof name === 'string' && settings.isDisposable ? name : '';
  return [
    plain,
    ...received.flatMap((other) => changedParts(hard, other)).map((part) => ({ ...plain, name: part })),
    ...fields.map(([field, value]) => ({ ...plain, [field]: value })),
    ...fields.map(([lost]) => Object.fromEntries(fields.filter(([field]) => field !== lost || field in plain))),
    { ...pet, ...plain },
    ...(hard === '' ? [] : cutNames(hard)).map((part) => ({ ...pet, name: part })),
  ];
}

/** The step with one parameter less, and with smaller bodies. `received` holds the names with which its animals came back. */
function smallerSteps(settings: Settings, step: Step, received: readonly string[]): readonly Step[] {
  const { request } = step;
  const [path = '', query = ''] = request.target.split('?');
  const parameters = query.split('&');
  const targets = parameters.map((_, at) => `${path}?${parameters.toSpliced(at, 1).join('&')}`);
  const pet = petIn(step);
  return [
    ...(parameters.length < 2 ? [] : targets).map((target) => ({ ...request, target })),
    ...(pet === undefined ? [] : smallerPets(settings, step, pet, received)).map((smaller) => ({
      ...request,
      body: writeJson(smaller),
    })),
  ]
    .map((smaller) => ({ ...step, request: smaller }))
    .filter((smaller) => sizeOf(smaller) < sizeOf(step));
}

/** The names with which the only animal of an answer came back. */
function namesIn(exchanges: readonly Exchange[]): readonly string[] {
  const alone = exchanges.map(animalsOf).filter(({ length }) => length === 1);
  return alone.map(([animal]) => String(animal!['name'] ?? ''));
}

/** So many requests may be spent on smaller ones: a quarter of what is left, but in a small budget what the rechecks have left. */
function allowanceFor({ budget }: Session): { left: number } {
  const left = budget.requestsLeft();
  return { left: Math.min(left, 40, Math.max(12, Math.floor(left / 4))) };
}

type Allowance = ReturnType<typeof allowanceFor>;

/** Sends smaller sequences in place of one, and keeps each that shows the failure as well. Resolves with the smallest. */
async function shrink(
  session: Session,
  { judge, suite }: RunState,
  first: Shown,
  allowance: Allowance,
): Promise<Shown> {
  let shown = first;
  const tried = new Set<string>();
  const keyOf = (steps: readonly Step[]): string => JSON.stringify(steps.map(({ request }) => request));
  for (;;) {
    const steps = shown.exchanges.map(stepOf);
    const isLeft =
      steps.every(isSmallEnough) ||
      steps.length > longestShrunk ||
      steps.some((step, at) => wasSettled(step, steps.slice(0, at), session.settings));
    const received = namesIn(shown.exchanges);
    const next = steps
      .flatMap((step, at) => smallerSteps(session.settings, step, received).map((smaller) => steps.with(at, smaller)))
      .find((smaller) => !tried.has(keyOf(smaller)));
    if (isLeft || next === undefined || allowance.left < next.length) return shown;
    tried.add(keyOf(next));
    allowance.left -= next.length;
    const exchanges = await resend(session, suite, next);
    const finding = judge(exchanges, first.finding.requirement).find((other) => isSameFailure(other, first.finding));
    if (finding !== undefined && isFailing(finding)) shown = { finding, exchanges };
  }
}

/** Rechecks some failures, and notes for each the smallest sequence that is known to show it. */
async function noteCounterexamples(session: Session, state: RunState, all: readonly Shown[]): Promise<void> {
  const { counterexamples } = state;
  const note = (one: Counterexample): void => void counterexamples.set(one.finding.requirement, one);
  for (const found of all) {
    // The run may be stopped while it asks.
    note({ ...found, recheck: 'not-asked-again' });
    note({ ...found, recheck: await recheck(session, state, found) });
  }
  const allowance = allowanceFor(session);
  for (const { finding } of all) {
    const known = counterexamples.get(finding.requirement)!;
    if (known.recheck !== 'fails-again' || finding.isConfirmed) continue;
    try {
      note({ ...known, ...(await shrink(session, state, known, allowance)) });
    } catch (error) {
      if (!(error instanceof BudgetSpent || error instanceof NotRepeatable)) throw error;
    }
  }
}

const advised: ReadonlySet<RequirementId> = new Set(
  requirements.filter(({ level }) => level === 'advised').map(({ id }) => id),
);

/** Finds, rechecks and shrinks a counterexample for every failing required requirement that has none yet. */
export async function recheckFailures(session: Session, state: RunState): Promise<void> {
  const failures = smallestFailures(state.judge(session.exchanges)).filter(
    ({ requirement }) => !state.counterexamples.has(requirement) && !advised.has(requirement),
  );
  const shown = failures.map((failing) => shortestSequence(state.judge, session.exchanges, failing));
  await noteCounterexamples(session, state, shown);
}
