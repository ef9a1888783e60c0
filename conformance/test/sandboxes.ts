/** Services that forget: sandboxes that keep the newest animals or expire them, and catalogues that start anew. */

import type { NewPet } from '../../reference-server/index.ts';
import { createTwin } from '../../reference-server/twin/gaps.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { seededRandom } from '../../spec/random.ts';
import type { JsonValue } from '../http/json.ts';
import { onCreation, showOnly } from '../services/visibility.ts';
import { changeAnswer, trialKeys, type Wrap } from '../services/wraps.ts';

/** A sandbox that removes each animal `ms` milliseconds after its creation, or only those with an id that matches. */
export function expiring(ms: number, expires: (id: JsonValue) => boolean = () => true): Wrap {
  return (handle, keys) => {
    const createdAt = new Map<JsonValue, number>();
    const noted = onCreation((id, { now }) => createdAt.set(id, now))(handle, keys);
    return showOnly((id, { now }) => !expires(id) || now - (createdAt.get(id) ?? now) < ms)(noted, keys);
  };
}

/** A sandbox, empty at first, that keeps only its newest animals. */
export function keepingNewest(count: number): Wrap {
  return (handle, keys) => {
    const created: JsonValue[] = [];
    const noted = onCreation((id) => created.push(id))(handle, keys);
    return showOnly((id) => {
      const at = created.indexOf(id);
      const newer = created.length - 1 - at;
      return newer < count && (at >= 0 || created.length < count);
    })(noted, keys);
  };
}

/** After so many requests the catalogue starts anew: as a sandbox does each night, or because others empty it. */
export const startsAnew =
  (after: number, gaps: Partial<GapChoices> = {}, animals: readonly NewPet[] = []): Wrap =>
  (handle, keys) => {
    const anew = createTwin({ keys: trialKeys, random: seededRandom(7), gaps, animals }).handle;
    return changeAnswer(({ status, headers }, { request, now }, count) => {
      if (count <= after || status === 429) return undefined;
      const answer = anew(request, now);
      const limits = Object.entries(headers).filter(([name]) => name.startsWith('X-RateLimit-'));
      return { ...answer, headers: { ...answer.headers, ...Object.fromEntries(limits) } };
    })(handle, keys);
  };
