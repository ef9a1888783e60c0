/** Sends recorded requests again: those that show a failure once more, and then smaller ones in their place. */

import { defined } from '../../spec/defined.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { isJsonObject, type JsonObject, readJson, writeJson } from '../http/json.ts';
import { animalsOf, createdId } from '../http/read-response.ts';
import {
  isSameFailure,
  plainestFailures,
  type RequestStep,
  shortestSequence,
  stepOf,
} from '../verdict/counterexample.ts';
import { type Counterexample, type Finding, isFailing, type Recheck } from '../verdict/finding.ts';
import { isOutage, lastingOutages } from '../world/evidence.ts';
import { nameIn, namePattern } from '../world/names.ts';
import type { Settings } from '../world/settings.ts';
import { BudgetSpent } from './budget.ts';
import type { Session } from './session.ts';
import type { RunState, Suite } from './suite.ts';

/**
 * Sends recorded requests again, one after the other. Animals get new names, and where a request names the id of an animal
 * that was created before, it gets the id of the new one. Ends before a request whose credential the keys of this run do not
 * have. Rejects with BudgetSpent or RunStopped.
 */
export async function resend(
  session: Session,
  { findCredential }: Pick<Suite, 'findCredential'>,
  steps: readonly RequestStep[],
): Promise<readonly Exchange[]> {
  /** The id of the new animal, by the id of the recorded one. */
  const ids = new Map<string, string>();
  /** The new name, by the recorded one. */
  const names = new Map<string, string>();
  const newNameFor = (name: string): string => {
    if (!names.has(name)) names.set(name, session.newName());
    return names.get(name)!;
  };
  const pattern = new RegExp(namePattern(session.settings), 'g');
  const sent: Exchange[] = [];
  for (const step of steps) {
    const credential = findCredential(step.credentialId, session.keys);
    if (credential === undefined) break;
    const { method, target, headers, body } = step.request;
    const [, path = '', id = '', rest = ''] = /^(\/pets\/)([^/?]+)(.*)$/.exec(target) ?? [];
    const coding = headers['transfer-encoding'];
    const exchange = await session.send(
      defined({
        operation: step.operation,
        method,
        target: ids.has(id) ? path + ids.get(id) + rest : target,
        contentType: headers['content-type'],
        headers: coding === undefined ? undefined : { 'transfer-encoding': coding },
        body: body?.replace(pattern, newNameFor),
        credential,
      }),
    );
    sent.push(exchange);
    const before = createdId(step);
    const after = createdId(exchange);
    if (before !== undefined && after !== undefined) ids.set(String(before), String(after));
  }
  return sent;
}

/** Longer sequences are not sent again: the requests are better spent on what has not been tried yet. */
const longestRecheck = 8;
/** The most requests that one recheck spends on shrinking, for all failures together. */
const mostToShrink = 40;
/** A target and a body that are shorter together are small enough. */
const smallEnough = 90;

/** Sends steps again; resolves with nothing where the budget ends before their last. */
async function sendAgain(
  session: Session,
  { suite }: RunState,
  steps: readonly RequestStep[],
): Promise<readonly Exchange[]> {
  try {
    return await resend(session, suite, steps);
  } catch (error) {
    if (error instanceof BudgetSpent) return [];
    throw error;
  }
}

/** Whether a page shows as many animals as before; what is no page has no such state. */
function isSameState(before: Exchange, again: Exchange): boolean {
  return before.operation !== 'listPets' || animalsOf(before).length === animalsOf(again).length;
}

/** Whether a failure shows in exchanges that were sent again, on their own or together with the rest of the run. */
function failsAgain(
  session: Session,
  { judge }: RunState,
  requirement: RequirementId,
  again: readonly Exchange[],
): boolean {
  const isAgain = ({ exchanges }: Finding): boolean => exchanges.some((exchange) => again.includes(exchange));
  return [again, session.exchanges].some((shown) => {
    const failures = judge(shown, requirement).filter(isFailing);
    return failures.some((failing) => failing.requirement === requirement && isAgain(failing));
  });
}

/** Sends a failing sequence once more, if it is short and the budget allows. */
async function recheck(session: Session, state: RunState, known: Counterexample): Promise<Recheck> {
  const { finding, exchanges } = known;
  // These requests have been repeated several times already.
  if (lastingOutages(exchanges).size > 0) return 'fails-again';
  if (exchanges.length > Math.min(longestRecheck, session.budget.requestsLeft())) return 'not-asked-again';
  if (exchanges.some(({ credential }) => credential.kind === 'rate-limit')) return 'not-asked-again';
  const again = await sendAgain(session, state, exchanges.map(stepOf));
  if (again.length === 0 || again.some(isOutage)) return 'not-asked-again';
  if (failsAgain(session, state, finding.requirement, again)) return 'fails-again';
  // A page of other animals is another question: only what was asked again in the same state can be flaky.
  return again.every((one, at) => isSameState(exchanges[at]!, one)) ? 'flaky' : 'not-asked-again';
}

function sizeOfPlanned({ request: { target, body = '' } }: RequestStep): number {
  return target.length + body.length;
}

function petIn({ request }: RequestStep): JsonObject | undefined {
  const reading = readJson(request.body ?? '');
  return 'value' in reading && isJsonObject(reading.value) ? reading.value : undefined;
}

/** The characters around the first one that came back different, and all characters up to it. */
function changedParts(sent: string, received: string): readonly string[] {
  const points = [...sent];
  const others = [...received];
  const at = points.findIndex((point, place) => point !== others[place]);
  if (at < 0) return [];
  const around = points.slice(Math.max(0, at - 2), at + 8);
  const upToIt = points.slice(0, at + 1);
  return [around.join(''), upToIt.join('')];
}

/** The animal with the plainest values of the same types, and nothing but its required fields. */
function plainestPet({ request }: RequestStep, { name, categoryId }: JsonObject, settings: Settings): JsonObject {
  // Where others see the animals, a name keeps the tag of the run.
  const plainName = settings.isDisposable ? 'a' : nameIn(request.body ?? '', settings);
  return defined({
    name: typeof name === 'string' ? (plainName ?? name) : name,
    categoryId: typeof categoryId === 'bigint' ? 1n : categoryId,
  });
}

/** Smaller animals in place of one: a plain one, one with the part of the name that changed, and those that keep one value. */
function smallerPets(
  settings: Settings,
  step: RequestStep,
  pet: JsonObject,
  received: readonly string[],
): readonly JsonObject[] {
  const plain = plainestPet(step, pet, settings);
  const { name } = pet;
  const hard = typeof name === 'string' && settings.isDisposable ? name : '';
  const parts = received.flatMap((other) => changedParts(hard, other));
  return [
    plain,
    ...parts.map((part) => ({ ...plain, name: part })),
    ...Object.entries(pet).map(([field, value]) => ({ ...plain, [field]: value })),
  ];
}

/** The step with bodies that are no larger; `received` holds the names with which its animals came back. */
function smallerSteps(settings: Settings, step: RequestStep, received: readonly string[]): readonly RequestStep[] {
  const pet = petIn(step);
  const bodies = pet === undefined ? [] : smallerPets(settings, step, pet, received).map(writeJson);
  return [...new Set(bodies)].map((body) => ({ ...step, request: { ...step.request, body } }));
}

/** Sends smaller sequences in place of one, the smallest first, until one shows the failure as well. */
async function shrink(
  session: Session,
  state: RunState,
  first: Counterexample,
  allowance: { left: number },
): Promise<Counterexample> {
  const steps = first.exchanges.map(stepOf);
  if (steps.every((step) => sizeOfPlanned(step) <= smallEnough)) return first;
  const alone = first.exchanges.map(animalsOf).filter(({ length }) => length === 1);
  const received = alone.map(([animal]) => String(animal!['name'] ?? ''));
  const sequences = steps.flatMap((step, at) =>
    smallerSteps(session.settings, step, received).map((smaller) => steps.with(at, smaller)),
  );
  for (const sequence of sequences) {
    if (allowance.left < sequence.length) break;
    allowance.left -= sequence.length;
    const exchanges = await sendAgain(session, state, sequence);
    const findings = state.judge(exchanges, first.finding.requirement);
    const finding = findings.filter(isFailing).find((other) => isSameFailure(other, first.finding));
    if (finding !== undefined) return { ...first, finding, exchanges };
  }
  return first;
}

/** Notes the shortest sequence that shows the failure, for every failing requirement that has none yet. */
export function noteCounterexamples(
  { counterexamples, judge }: RunState,
  findings: readonly Finding[],
  exchanges: readonly Exchange[],
): readonly Counterexample[] {
  const failures = plainestFailures(findings).filter(({ requirement }) => !counterexamples.has(requirement));
  return failures.map((failing) => {
    const noted = { ...shortestSequence(judge, exchanges, failing), recheck: 'not-asked-again' } as const;
    counterexamples.set(failing.requirement, noted);
    return noted;
  });
}

/** Finds, rechecks and shrinks a counterexample for every failing requirement that has none yet. */
export async function recheckFailures(session: Session, state: RunState): Promise<void> {
  const { counterexamples, judge } = state;
  const again: Counterexample[] = [];
  for (const noted of noteCounterexamples(state, judge(session.exchanges), session.exchanges)) {
    const known = { ...noted, recheck: await recheck(session, state, noted) };
    counterexamples.set(noted.finding.requirement, known);
    if (known.recheck === 'fails-again') again.push(known);
  }
  const allowance = { left: Math.min(session.budget.requestsLeft(), mostToShrink) };
  for (const known of again) {
    counterexamples.set(known.finding.requirement, await shrink(session, state, known, allowance));
  }
}
