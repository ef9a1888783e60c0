/** The proof: tours find and name every careless client, and break no careful one. */

import { type ClientRequirementId, clientRequirements } from '../../spec/client-requirements.ts';
import { runConcurrently } from '../run/work-through.ts';
import { carefulClients } from './careful/index.ts';
import { carelessClients } from './careless/index.ts';
import { type CompatibilityRuns, runCompatibility } from './compatibility.ts';
import { attemptOf, type CarelessClient, type Example } from './example.ts';
import { judgeClient } from './judge-client.ts';
import { variations } from './variations/index.ts';

export interface ClientTrial {
  readonly id: string;
  /** Requirements that it was found to break, with what was said of the first failure of each. */
  readonly found: ReadonlyMap<ClientRequirementId, string>;
  /** What is wrong with the judge; undefined where nothing is. */
  readonly complaint: string | undefined;
}

export interface ClientProof {
  readonly careless: readonly ClientTrial[];
  readonly careful: readonly ClientTrial[];
  /** Requirements that no careless client breaks, although a world or a request could show it: they are unproven. */
  readonly unproven: readonly ClientRequirementId[];
}

/** So many tours at a time: more would keep each other waiting. */
const toursAtATime = 8;
const lanesOfTour = 3;
const combinationsForCareful = 12;

function tourOf(client: Example, worlds: number, only?: ReadonlySet<ClientRequirementId>): Promise<CompatibilityRuns> {
  return runCompatibility({
    attempt: attemptOf(client),
    worlds,
    ...(only === undefined ? {} : { only }),
    seed: 1,
    lanes: lanesOfTour,
    signal: new AbortController().signal,
  });
}

function foundIn(tour: CompatibilityRuns): ReadonlyMap<ClientRequirementId, string> {
  return new Map(
    judgeClient(tour).flatMap(({ requirement, failures: [first] }) =>
      first === undefined ? [] : [[requirement.id, first.failure.message]],
    ),
  );
}

/** What only a client shows that is refused for its number, or led to another host. */
const shownByOthers: readonly (readonly [pattern: RegExp, requirements: readonly ClientRequirementId[]])[] = [
  [
    /^client-(waits|backs-off|no-hammering|remaining|goes-on)$|^any-(ban|retry-after-form|too-many-requests-body)$/,
    ['client-goes-on', 'client-remaining', 'any-ban', 'any-retry-after-form', 'any-too-many-requests-body'],
  ],
  [/^client-key-to-base-address$/, ['any-later-pages', 'any-after-removal']],
];

/** The worlds that a client is tried in: those that show what it breaks. */
function worldsFor({ breaks }: CarelessClient): ReadonlySet<ClientRequirementId> {
  const more = shownByOthers.flatMap(([pattern, requirements]) =>
    breaks.some((id) => pattern.test(id)) ? requirements : [],
  );
  return new Set([...breaks, ...more]);
}

/** What a careless client does too soon it may do in time where the machine is busy: then it is tried once more. */
async function tryCareless(client: CarelessClient): Promise<ClientTrial> {
  const trial = await tryCarelessOnce(client);
  return trial.complaint === undefined ? trial : tryCarelessOnce(client);
}

async function tryCarelessOnce(client: CarelessClient): Promise<ClientTrial> {
  const tour = await tourOf(client, variations.length + 1, worldsFor(client));
  const found = foundIn(tour);
  const missed = client.breaks.filter((id) => !found.has(id));
  const complaint = !tour.reference.isPassed
    ? `it fails with the reference server: ${tour.reference.ending}`
    : missed.length > 0
      ? `it is not found to break ${missed.join(' and ')}`
      : undefined;
  return { id: client.id, found, complaint };
}

const levels = new Map(clientRequirements.map(({ id, level }) => [id, level]));

async function tryCareful(client: Example): Promise<ClientTrial> {
  const tour = await tourOf(client, variations.length + 1 + combinationsForCareful);
  const found = foundIn(tour);
  const [failing] = [...found].filter(([id]) => levels.get(id) === 'required');
  const complaint = !tour.reference.isPassed
    ? `it fails with the reference server: ${tour.reference.ending}`
    : failing && `${failing[0]}: ${failing[1]}`;
  return { id: client.id, found, complaint };
}

async function tryAll<Client>(clients: readonly Client[], attempt: (client: Client) => Promise<ClientTrial>) {
  const trials = await runConcurrently(
    clients.map((client) => () => attempt(client)),
    toursAtATime,
  );
  return trials.toSorted((one, other) => one.id.localeCompare(other.id));
}

/** Requirements that a world shows, or requests. */
function isShown(id: ClientRequirementId): boolean {
  return !id.startsWith('any-') || variations.some(({ requirement }) => requirement === id);
}

export async function proveClients(): Promise<ClientProof> {
  const broken = new Set(carelessClients.flatMap(({ breaks }) => breaks));
  const [careless, careful] = await Promise.all([
    tryAll(carelessClients, tryCareless),
    tryAll(carefulClients, tryCareful),
  ]);
  return {
    careless,
    careful,
    unproven: clientRequirements.map(({ id }) => id).filter((id) => isShown(id) && !broken.has(id)),
  };
}

export function isClientProofSound({ careless, careful, unproven }: ClientProof): boolean {
  return [...careless, ...careful].every(({ complaint }) => complaint === undefined) && unproven.length === 0;
}

/** The proof as text: a line for each careless client, what is wrong, then the figures. */
export function showClientProof({ careless, careful, unproven }: ClientProof): string {
  const lines = careless.map(
    ({ id, found, complaint }) =>
      `${complaint === undefined ? 'found    ' : 'NOT FOUND'}  client ${id}  ${complaint ?? [...found.keys()].join(', ')}`,
  );
  const wrong = careful.flatMap(({ id, complaint }) =>
    complaint === undefined ? [] : [`FALSE FAILURE  client ${id}: ${complaint}`],
  );
  const open = unproven.map((id) => `UNPROVEN  no careless client breaks ${id}`);
  const found = careless.filter(({ complaint }) => complaint === undefined).length;
  const figures = `${found} of ${careless.length} careless clients found and named, ${wrong.length} false failures over ${careful.length} careful ones`;
  return `${[...lines, ...wrong, ...open, figures].join('\n')}\n`;
}
