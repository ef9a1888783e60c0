/** Proves the judge of clients: it finds and names every faulty client, and fails no careful one. */

import { type ClientRequirementId, clientRequirements } from '../../../../spec/client-requirements.ts';
import { defined } from '../../../../spec/defined.ts';
import { type Compatibility as CompatibilityRuns, runCompatibility } from '../../../clients/compatibility.ts';
import { judgeClient } from '../../../clients/judge-client.ts';
import { services } from '../../../clients/services.ts';
import { runConcurrently } from '../../../http/concurrency.ts';
import { sentenceOf } from '../../../verdict/failure.ts';
import { carefulClients } from './careful/index.ts';
import { type ExampleClient, type FaultyClient, simulate } from './example-client.ts';
import { faultyClients } from './faulty/index.ts';

export interface ClientTrial {
  readonly id: string;
  /** The requirements that it was found to break, each with the message of its first failure. */
  readonly found: ReadonlyMap<ClientRequirementId, string>;
  /** How the judge is wrong; undefined if it is not. */
  readonly complaint: string | undefined;
}

export interface ClientProof {
  readonly faulty: readonly ClientTrial[];
  readonly careful: readonly ClientTrial[];
  /** Requirements that no faulty client breaks, although a service or a request could show it. */
  readonly unproven: readonly ClientRequirementId[];
}

/** Ends the trials early; the proof then never resolves. */
interface Bounds {
  readonly signal?: AbortSignal;
}

/** Clients on trial at a time; each has its own clock. */
const trialsAtATime = 8;
/** Many enough for every service, each failure confirmed. */
const runsOfFaulty = 200;
const runsOfCareful = 110;

function runsOf(
  client: ExampleClient,
  maxRuns: number,
  { signal = new AbortController().signal, only }: Bounds & { readonly only?: ReadonlySet<ClientRequirementId> } = {},
) {
  const options = { runClient: simulate(client), maxRuns, concurrency: 1, signal };
  return runCompatibility({ ...options, ...defined({ only }) });
}

function foundIn(made: CompatibilityRuns): ReadonlyMap<ClientRequirementId, string> {
  return new Map(
    judgeClient(made).flatMap(({ requirement, failures: [first] }) =>
      first === undefined ? [] : [[requirement.id, sentenceOf(first.failure)]],
    ),
  );
}

/** Requirements that the services of other requirements reveal: by a 429, or by an answer that names another host. */
const shownByOthers: readonly (readonly [pattern: RegExp, requirements: readonly ClientRequirementId[]])[] = [
  [
    /^client-(waits|backs-off|no-hammering|goes-on)$|^any-(ban|retry-after-form|too-many-requests-body)$/,
    ['client-goes-on', 'client-waits', 'any-ban', 'any-retry-after-form'],
  ],
  [/^client-key-to-base-address$/, ['any-later-pages', 'any-after-removal']],
];

/** The requirements whose variants show what a client breaks: the others would only take time. */
function requirementsFor({ breaks }: FaultyClient): ReadonlySet<ClientRequirementId> {
  const more = shownByOthers.flatMap(([pattern, requirements]) =>
    breaks.some((id) => pattern.test(id)) ? requirements : [],
  );
  return new Set([...breaks, ...more]);
}

async function tryFaulty(client: FaultyClient, bounds: Bounds): Promise<ClientTrial> {
  const found = foundIn(await runsOf(client, runsOfFaulty, { ...bounds, only: requirementsFor(client) }));
  const missed = client.breaks.filter((id) => !found.has(id));
  const complaint = missed.length > 0 ? `it is not found to break ${missed.join(' and ')}` : undefined;
  return { id: client.id, found, complaint };
}

/** Whether a client that keeps the interface works with every service. */
export async function tryCareful(client: ExampleClient, bounds: Bounds = {}): Promise<ClientTrial> {
  const made = await runsOf(client, runsOfCareful, bounds);
  const found = foundIn(made);
  const [failing] = judgeClient(made)
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ requirement: { id } }) => [id, found.get(id)]);
  const complaint = made.usual.isPassed
    ? failing && `${failing[0]}: ${failing[1]}`
    : `it fails with the reference server: ${made.usual.ending}`;
  return { id: client.id, found, complaint };
}

async function tryAll<Client>(
  clients: readonly Client[],
  attempt: (client: Client) => Promise<ClientTrial>,
  { signal }: Bounds,
) {
  const trials = await runConcurrently(
    clients.map((client) => () => (signal?.aborted ? new Promise<ClientTrial>(() => {}) : attempt(client))),
    trialsAtATime,
  );
  return trials.toSorted((one, other) => one.id.localeCompare(other.id));
}

export async function proveClients(bounds: Bounds = {}): Promise<ClientProof> {
  const broken = new Set(faultyClients.flatMap(({ breaks }) => breaks));
  const canBeShown = ({ id }: (typeof clientRequirements)[number]): boolean =>
    !id.startsWith('any-') || services.some(({ requirement }) => requirement === id);
  return {
    faulty: await tryAll(faultyClients, (client) => tryFaulty(client, bounds), bounds),
    careful: await tryAll(carefulClients, (client) => tryCareful(client, bounds), bounds),
    unproven: clientRequirements.filter(canBeShown).flatMap(({ id }) => (broken.has(id) ? [] : [id])),
  };
}
