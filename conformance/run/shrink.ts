/** Tries smaller creations for a failure that a long one has shown: the report shows the smallest that fails alike. */

import { isInt64, isJsonObject, type JsonObject } from '../http/json.ts';
import { readNewPet } from '../http/read-request.ts';
import { animalsOf, idsShownIn } from '../http/read-response.ts';
import { again } from '../sections/4.1-list-pets/claims.ts';
import type { Failing } from '../verdict/finding.ts';
import { createPet, getPet } from '../world/requests.ts';
import { plainCategory } from './scene.ts';
import type { Session } from './session.ts';

/** A shorter body is read at a glance. */
const longBody = 90;
/** So many characters before and after the first difference. */
const around = [1, 4, 12] as const;

/** The part of a name around the first character that came back different. */
function windows(sent: string, received: string): readonly string[] {
  const [wanted, came] = [[...sent], [...received]];
  const found = wanted.findIndex((character, at) => character !== came[at]);
  const at = found === -1 ? wanted.length - 1 : found;
  const cuts = around.map((width) => wanted.slice(Math.max(0, at - width), at + width + 1).join(''));
  // What cuts long names needs their length.
  return [...cuts, 'n'.repeat(at + 1), wanted.slice(0, at + 1).join('')];
}

function candidatesFor(finding: Failing, session: Session): readonly JsonObject[] {
  const [creation] = finding.exchanges;
  const reading = creation?.operation === 'createPet' ? readNewPet(creation) : undefined;
  if (creation === undefined || reading === undefined || !('pet' in reading) || reading.pet === undefined) return [];
  if ((creation.request.body ?? '').length < longBody) return [];
  const { name, categoryId } = reading.pet;
  const id = idsShownIn(creation)[0];
  const shown = animalsOf(finding.exchanges.at(-1)!).find((animal) => animal['id'] === id);
  const received = isJsonObject(shown) && typeof shown['name'] === 'string' ? shown['name'] : name;
  const plain = plainCategory(session);
  if (finding.requirement === 'pet-category-id-kept') return [{ name: session.newName(), categoryId }];
  if (received === name) return [{ name: session.newName(), categoryId: plain }];
  return windows(name, received).map((part) => ({ name: part, categoryId: plain }));
}

/** Sends smaller creations, the smallest first, until one fails alike; each with the read that showed the failure. */
export async function shrink(
  session: Session,
  finding: Failing,
  isShown: (from: number) => boolean,
  keep: number,
): Promise<void> {
  const last = finding.exchanges.at(-1);
  for (const pet of candidatesFor(finding, session)) {
    if (session.budget.requestsLeft() - keep < 3 || session.budget.creationsLeft() < 1) return;
    const from = session.exchanges.length;
    const created = await session.send(createPet(pet));
    const id = idsShownIn(created)[0];
    if (last?.operation === 'getPet' && isInt64(id)) await session.send(getPet(id));
    if (last?.operation === 'listPets') await session.send(again(last));
    if (isShown(from)) return;
  }
}
