/** All judges, in the order of the sections, and the one way to run them. */

import type { GapId } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Keys, SentCredential } from '../http/credentials.ts';
import type { Finding } from '../verdict/finding.ts';
import type { World } from '../world/world.ts';
import { serviceJudges } from './1-service/judges.ts';
import { resourceJudges } from './2-resources/judges.ts';
import { listPetsJudges } from './4.1-list-pets/judges.ts';
import { createPetJudges } from './4.2-create-pet/judges.ts';
import { getPetJudges } from './4.3-get-pet/judges.ts';
import { findCredential } from './5-authentication/credentials.ts';
import { authenticationJudges } from './5-authentication/judges.ts';
import { errorJudges } from './7-errors/judges.ts';
import { limitJudges } from './8-limits/judges.ts';
import { versioningJudges } from './9-versioning/judges.ts';
import type { Claim, Judge, Observation, Observer } from './judge.ts';
import { observers } from './observers.ts';

/** What judges a service: the judges, the observers, and the credentials by their ids. */
export interface Suite {
  readonly judges: readonly Judge[];
  readonly observers: readonly Observer[];
  /** Finds the credential with an id, to send an exchange again; undefined if these keys give none. */
  readonly findCredential: (id: string, keys: Keys) => SentCredential | undefined;
}

export const conformanceSuite: Suite = {
  judges: [
    ...serviceJudges,
    ...resourceJudges,
    ...listPetsJudges,
    ...createPetJudges,
    ...getPetJudges,
    ...authenticationJudges,
    ...errorJudges,
    ...limitJudges,
    ...versioningJudges,
  ],
  observers,
  findCredential,
};

/** The state of judging apart from its findings. */
export interface Judging {
  /** Requirements whose judges threw: our own errors. */
  readonly errors: Map<RequirementId, string>;
  /** Whether the time for judging is over. */
  readonly isOverdue: () => boolean;
}

export function createJudging(isOverdue: () => boolean = () => false): Judging {
  return { errors: new Map(), isOverdue };
}

const worldsFor = ({ scope }: Judge, world: World): readonly World[] => (scope === 'key' ? world.perKey : [world]);

/**
 * Returns the findings of the judges, for one requirement or all. A judge that throws is an error of the kit and is noted
 * for each of its requirements. Once the time is over, the remaining judges do not run.
 */
export function judgeWorld(
  world: World,
  { judges }: Pick<Suite, 'judges'>,
  { errors, isOverdue }: Judging = createJudging(),
  only?: RequirementId,
): readonly Finding[] {
  return judges.flatMap((judge) => {
    if (isOverdue() || (only !== undefined && !judge.verifies.includes(only))) return [];
    try {
      return worldsFor(judge, world).flatMap((part) => [...judge.judge(part)]);
    } catch (error) {
      for (const requirement of judge.verifies) errors.set(requirement, String(error));
      return [];
    }
  });
}

/** The suspicions of the judges. The key that may be used up is not asked again. */
export function claimsIn(world: World, { judges }: Pick<Suite, 'judges'>): readonly Claim[] {
  return judges.flatMap((judge) => [...(judge.claims?.(judge.scope === 'key' ? world.perKey[0]! : world) ?? [])]);
}

/** Returns the answers of the target to gaps, as far as the exchanges show them. */
export function observe(world: World, suite: Pick<Suite, 'observers'>): ReadonlyMap<GapId, Observation> {
  return new Map(
    suite.observers.flatMap(({ gap, observe: read }): [GapId, Observation][] => {
      const answer = read(world);
      return answer === undefined ? [] : [[gap, answer]];
    }),
  );
}
