/** Smaller requests in place of one that shows a failure, for a reader who has to find the value that matters. */

import { defined } from '../../spec/defined.ts';
import { isJsonObject, type JsonObject, readJson, writeJson } from '../http/json.ts';
import type { RequestStep } from '../verdict/counterexample.ts';
import { nameIn } from '../world/names.ts';
import type { Settings } from '../world/settings.ts';

/** A target and a body that are shorter together are small enough. */
const smallEnough = 90;

/** Whether a request is so short that no smaller one is worth sending. */
export function isSmall({ request: { target, body = '' } }: RequestStep): boolean {
  return target.length + body.length <= smallEnough;
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
export function smallerSteps(
  settings: Settings,
  step: RequestStep,
  received: readonly string[],
): readonly RequestStep[] {
  const pet = petIn(step);
  const bodies = pet === undefined ? [] : smallerPets(settings, step, pet, received).map(writeJson);
  return [...new Set(bodies)].map((body) => ({ ...step, request: { ...step.request, body } }));
}
