/** Draws requests while the budget lasts: new values, and the rows of all tables in any order, with good keys and bad ones. */

import fc from 'fast-check';
import { petStatuses } from '../../spec/operations.ts';
import { runConcurrently } from '../http/concurrency.ts';
import type { Exchange } from '../http/exchange.ts';
import { BudgetSpent } from '../run/budget.ts';
import { recheckFailures } from '../run/recheck.ts';
import type { Session } from '../run/session.ts';
import type { Probe, RunState } from '../run/suite.ts';
import { type Finding, isFailing } from '../verdict/finding.ts';
import { listPetsProbes } from './4.1-list-pets/probes.ts';
import { bodyFor, type Creation, mayCreate, worthSending } from './4.2-create-pet/creations.ts';
import { createPetProbes } from './4.2-create-pet/probes.ts';
import { writeEscaped, writeFreely, writings } from './4.2-create-pet/writings.ts';
import { getPetProbes } from './4.3-get-pet/probes.ts';
import { refusedCredentials } from './5-authentication/credentials.ts';
import { createPetFrom, listPets } from './requests.ts';
import { boundaries, commonParts, edges, pieces, rareParts } from './values.ts';

/** The boundaries of number types, and any int64. */
const categoryIds: fc.Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(...boundaries),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);

const drawnTexts = fc.oneof(
  fc.constantFrom(...commonParts, ...rareParts, ...pieces, ...edges.flat()),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);

/** The texts before and after the tag in a name. */
const affixes = fc.oneof(
  fc.tuple(drawnTexts, drawnTexts),
  fc.integer({ min: 20, max: 3_000 }).map((length) => ['', 'n'.repeat(length)] as const),
);

const drawnStatuses = fc.option(fc.constantFrom(...petStatuses), { nil: undefined });

const drawnCreations: fc.Arbitrary<Creation> = fc.record({
  name: affixes.map(
    ([front, end]) =>
      (tag: string) =>
        `${front}${tag}${end}`,
  ),
  categoryId: fc.option(categoryIds, { nil: undefined }),
  status: drawnStatuses,
  write: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    fc.constantFrom(...writings, writeFreely, writeEscaped),
  ),
});

/**
 * Limits below the number of animals, each as likely as the others: the library prefers the smallest and the largest. One
 * listing of seven has none, since a service that keeps the limit of the listing before shows it there alone.
 */
const drawnLimits = fc.oneof(
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 6, arbitrary: fc.constantFrom(...Array.from({ length: 60 }, (_nothing, at) => at + 1)) },
);

/** Listings with a limit and a status, in either order. */
const queries = fc.tuple(drawnLimits, drawnStatuses, fc.boolean()).map(([limit, status, isReversed]) => {
  const fields = [limit === undefined ? [] : [`limit=${limit}`], status === undefined ? [] : [`status=${status}`]];
  return (isReversed ? fields.reverse() : fields).flat().join('&');
});

type DrawnRequest = Probe['request'];

/** A gateway may refuse a larger body, whatever its key; UTF-16 units. */
const longestWithBadKey = 250;

/** Drawn creations and listings, some of them with a key that must be refused, and the rows of all tables. */
function requestsFor(session: Session): fc.Arbitrary<DrawnRequest> {
  const create = drawnCreations.map(
    (creation): DrawnRequest =>
      (own) =>
        mayCreate(own) ? createPetFrom(bodyFor(own, worthSending(own, creation))) : undefined,
  );
  const list = queries.map(
    (query): DrawnRequest =>
      () =>
        listPets(query),
  );
  const ofTables = [...createPetProbes, ...listPetsProbes, ...getPetProbes].flatMap((kind) => {
    const rows = 'probes' in kind ? kind.probes(session).map(({ request }) => request) : [];
    return rows.length === 0 ? [] : [fc.constantFrom(...rows)];
  });
  const allowed = fc.oneof({ weight: 2, arbitrary: create }, { weight: 4, arbitrary: list }, ...ofTables);
  const refused = fc.tuple(fc.oneof(create, list), fc.constantFrom(...refusedCredentials(session.keys))).map(
    ([requestOf, credential]): DrawnRequest =>
      (own) => {
        const request = requestOf(own);
        return request && (request.body ?? '').length < longestWithBadKey ? { ...request, credential } : undefined;
      },
  );
  return fc.oneof({ weight: 4, arbitrary: allowed }, { weight: 1, arbitrary: refused });
}

/** So many requests are drawn at once, and judged by themselves. */
const lengthOfSequence = 8;

/** Draws until the budget is spent, as many requests concurrently as the settings allow; rechecks what fails for the first time. */
export async function explore(session: Session, state: RunState): Promise<void> {
  const { settings, budget, random } = session;
  while (budget.requestsLeft() > 0) {
    const seed = Math.floor(random() * 2 ** 31);
    const sequence = fc.sample(requestsFor(session), { seed, numRuns: lengthOfSequence });
    const sent: Exchange[] = [];
    const tasks = sequence.map((requestOf) => async () => {
      const request = requestOf(session);
      if (request !== undefined) sent.push(await session.send(request));
    });
    try {
      await runConcurrently(tasks, settings.concurrency);
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
    }
    const isNew = ({ requirement }: Finding): boolean => !state.counterexamples.has(requirement);
    if (state.judge(sent).filter(isFailing).some(isNew)) await recheckFailures(session, state);
  }
}
