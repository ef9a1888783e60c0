/** Sends a few requests to a server in process, on a stepped clock, and judges the answers. */

import { createPetStore, type NewPet } from '../../../reference-server/index.ts';
import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { trialKeys, trialSettings } from '../../proof/trial.ts';
import { createBudget } from '../../run/budget.ts';
import { createSession, type Session } from '../../run/session.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { createPet, getPet, idsIn, listPets } from '../../sections/requests.ts';
import { createClock, inProcess } from '../../services/in-process.ts';
import { apiKey, keysOfTrials, limitKey, type Wrap } from '../../services/wraps.ts';
import type { Finding } from '../../verdict/finding.ts';
import { judgeHistory } from '../../verdict/findings.ts';
import { readHistory } from '../../verdict/history.ts';
import type { Settings } from '../../verdict/settings.ts';

export interface TestClient {
  readonly session: Session;
  /** Resolves with the id of the created animal. */
  readonly create: (status?: PetStatus) => Promise<bigint>;
  readonly list: (query?: string) => Promise<readonly bigint[]>;
  /** Resolves with the HTTP status. */
  readonly get: (petId: bigint | string) => Promise<number | undefined>;
  readonly wait: (ms: number) => Promise<void>;
}

export interface Server {
  readonly wrap?: Wrap;
  readonly animals?: readonly NewPet[];
  readonly settings?: Partial<Settings>;
}

function clientOf(session: Session): TestClient {
  return {
    session,
    async create(status = 'available') {
      const [id] = idsIn(await session.send(createPet({ name: session.newName(), categoryId: 1n, status })));
      return id ?? 0n;
    },
    list: async (query) => idsIn(await session.send(listPets(query))),
    get: async (petId) => (await session.send(getPet(petId))).response?.status,
    wait: session.clock.sleep,
  };
}

/** The findings for one requirement after the requests that `send` sends. */
export async function judgeAfter(
  requirement: RequirementId,
  { wrap = (handle) => handle, animals = [], settings: changes = {} }: Server,
  send: (client: TestClient) => Promise<void>,
): Promise<readonly Finding[]> {
  const clock = createClock();
  const settings = trialSettings(1_000, changes);
  const session = createSession({
    settings,
    keys: { api: apiKey, rateLimit: limitKey },
    transport: inProcess(wrap(createPetStore({ keys: trialKeys, animals }).handle, keysOfTrials), clock),
    clock,
    budget: createBudget(1_000, 200),
    runTag: 'abc123',
  });
  await send(clientOf(session));
  const findings = judgeHistory(readHistory(session.exchanges, settings), conformanceSuite);
  return findings.filter((finding) => finding.requirement === requirement);
}

/** The codes of failures, each once; `holds` where something holds. */
export function codesOf(findings: readonly Finding[]): readonly string[] {
  return [...new Set(findings.map(({ failure }) => failure?.code ?? 'holds'))].sort();
}

/** Creates so many animals, with each status in turn. */
export async function createSome({ create }: TestClient, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await create(petStatuses[at % petStatuses.length]);
}
