/** Narrows a world in which a client fails down to the answers that break it (delta debugging). */

import type { Visit } from './visit.ts';
import { type Turn, type World, worldOf } from './world.ts';

function partsOf(turns: readonly Turn[], count: number): readonly (readonly Turn[])[] {
  const size = Math.ceil(turns.length / count);
  return Array.from({ length: count }, (_nothing, at) => turns.slice(at * size, (at + 1) * size)).filter(
    (part) => part.length > 0,
  );
}

/** The visit to the smallest world found in which the client fails; `go` visits one. */
export async function narrow(failed: Visit, go: (world: World) => Promise<Visit>, signal: AbortSignal): Promise<Visit> {
  let smallest = failed;
  let count = 2;
  while (smallest.world.turns.length > 1 && !signal.aborted) {
    const { turns } = smallest.world;
    const parts = partsOf(turns, Math.min(count, turns.length));
    const rests = parts.map((part) => turns.filter((turn) => !part.includes(turn)));
    // Of two parts each is the rest of the other.
    const candidates = parts.length === 2 ? parts : [...parts, ...rests];
    const found = await firstThatFails(candidates.map(worldOf), go, signal);
    if (found !== undefined) {
      smallest = found;
      count = 2;
    } else if (count >= turns.length) {
      return smallest;
    } else {
      count *= 2;
    }
  }
  return smallest;
}

async function firstThatFails(
  worlds: readonly World[],
  go: (world: World) => Promise<Visit>,
  signal: AbortSignal,
): Promise<Visit | undefined> {
  for (const world of worlds) {
    if (signal.aborted) return undefined;
    const visit = await go(world);
    if (!visit.isPassed && !signal.aborted) return visit;
  }
  return undefined;
}
