/** Builds exchanges as a run records them, for tests that judge without sending. */

import * as assert from 'uvu/assert';
import { defined } from '../../../spec/defined.ts';
import type { OpenGapId } from '../../../spec/gaps.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { type SentCredential, validKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type JsonObject, writeJson } from '../../http/json.ts';
import { trialSettings } from '../../proof/trial.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import { judgeWorld, type ProbeKind } from '../../run/suite.ts';
import { checks } from '../../sections/index.ts';
import { observers } from '../../sections/observers.ts';
import { createPet, getPet, listPets } from '../../sections/requests.ts';
import { type Failing, type Failure, type Finding, isFailing, sentenceOf } from '../../verdict/finding.ts';
import { makeName } from '../../world/names.ts';
import type { Settings } from '../../world/settings.ts';
import { readWorld } from '../../world/world.ts';
import { exchangeOf } from '../run/hand-made.ts';

/** A request with its answer; a status without a body stands for its usual body. */
export interface HandMadeAnswer {
  readonly request: PlannedRequest;
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly credential?: SentCredential;
  readonly repeats?: number;
  /** Set where the connection broke instead of an answer. */
  readonly isBroken?: true;
  /** When it was answered, in seconds since the start of the run; undefined: a millisecond after the one before. */
  readonly seconds?: number;
  /** How long the answer took before that, seconds. */
  readonly took?: number;
  /** The event numbers at which it was sent and answered, where it was under way with others. */
  readonly events?: readonly [sent: number, answered: number];
}

export const apiKey = 'Key-Of-The-Evidence-1';
/** When the run began: noon of a day, at the start of a minute, Unix milliseconds. */
export const startedAt = Date.UTC(2026, 10, 21, 12);

function usualBody(status: number): string {
  if (status >= 400) return `{"code":"c","message":"m","status":${status}}`;
  return status === 201 ? '{"id":1,"name":"Rex","categoryId":1}' : '[]';
}

/** Exchanges one after another, numbered from 1. */
export function exchangesOf(answers: readonly HandMadeAnswer[]): readonly Exchange[] {
  return answers.map((answer, at): Exchange => {
    const { request, status = 200, body, headers, credential, repeats, isBroken, took = 0, events } = answer;
    const { seconds = at / 1_000 } = answer;
    return defined({
      ...exchangeOf(at + 1),
      operation: request.operation,
      credential: (credential ?? request.credential ?? validKey(apiKey)).shown,
      request: defined({
        method: request.method ?? 'GET',
        target: request.target,
        headers: { ...request.headers, ...defined({ 'content-type': request.contentType }) },
        body: request.body,
      }),
      response: isBroken
        ? undefined
        : { status, headers: { 'content-type': 'application/json', ...headers }, body: body ?? usualBody(status) },
      failure: isBroken && { code: 'broken', message: 'ECONNRESET' },
      startedAt: startedAt + 1_000 * (seconds - took),
      endedAt: startedAt + 1_000 * seconds,
      ...(events !== undefined && { sent: events[0], answered: events[1] }),
      repeats,
    });
  });
}

const noFailure: Pick<Failure, 'expected' | 'received' | 'pointer'> = { expected: 'nothing', received: 'nothing' };

function findingsIn(answers: readonly HandMadeAnswer[], changes: Partial<Settings> = {}): readonly Finding[] {
  const errors = new Map<RequirementId, string>();
  const world = readWorld(exchangesOf(answers), trialSettings(60, changes));
  const findings = judgeWorld(world, checks, errors);
  assert.equal([...errors], []);
  for (const { requirement, failure: { expected, received, pointer = '/' } = noFailure } of findings)
    assert.ok(requirement && expected && received !== undefined && pointer.startsWith('/'), requirement);
  return findings;
}

/** The failures of some requirements that these exchanges show. */
export function failuresIn(
  answers: readonly HandMadeAnswer[],
  requirements: RegExp,
  changes: Partial<Settings> = {},
): readonly Failing[] {
  return findingsIn(answers, changes)
    .filter(isFailing)
    .filter(({ requirement }) => requirements.test(requirement));
}

/** A failure as `code: expected …, received …`, with its place in the answer and its input. */
export function messageOf({ failure }: Failing): string {
  const { code, pointer, input } = failure;
  const place = pointer === undefined ? '' : ` at ${pointer}`;
  const to = input === undefined ? '' : ` to ${input.name} ${input.value}`;
  return `${code}: ${sentenceOf(failure)}${place}${to}`;
}

export const [sold, pending] = [{ status: 'sold' }, { status: 'pending' }];

/** An animal of the run as the service returns it. */
export const animalOf = (id: number | bigint, fields: object = {}) => ({
  id: BigInt(id),
  name: makeName('abc123', Number(BigInt(id) % 1_000n)),
  categoryId: 1n,
  ...fields,
});

/** The creation of an animal of the run, which is returned as it was sent but for some fields. */
export function created(id: number | bigint, fields: JsonObject = {}, returned: object = {}): HandMadeAnswer {
  const { id: _id, ...pet } = animalOf(id, fields) as JsonObject;
  return {
    request: createPet(pet),
    status: 201,
    body: writeJson(animalOf(id, { ...fields, ...returned }) as JsonObject),
  };
}

export function page(query: string, ...animals: readonly object[]): HandMadeAnswer {
  return { request: listPets(query), body: writeJson(animals as readonly JsonObject[]) };
}

/** A read, answered with an animal or with a status. */
export function read(id: number | bigint | string, answer: object | number): HandMadeAnswer {
  const request = getPet(typeof id === 'number' ? BigInt(id) : id);
  return typeof answer === 'number' ? { request, status: answer } : { request, body: writeJson(answer as JsonObject) };
}

/** The codes of failures, each once, with `holds` where something proves the requirement, and the answers. */
type EvidenceRow = readonly [codes: string, ...answers: readonly HandMadeAnswer[]];
export type EvidenceRows = Readonly<Partial<Record<RequirementId, readonly EvidenceRow[]>>>;

export function checkRows(rows: EvidenceRows): void {
  for (const [requirement, cases] of Object.entries(rows)) {
    for (const [codes, ...answers] of cases) {
      const ofIt = findingsIn(answers).filter((finding) => finding.requirement === requirement);
      const found = new Set(ofIt.map(({ failure }) => failure?.code ?? 'holds'));
      const shown = answers.map(({ request, status = 200, body }) => `${request.target} ${status} ${body ?? ''}`);
      assert.is([...found].sort().join(' '), codes, `${requirement}: ${shown.join(', ')}`);
    }
  }
}

/** The requirements that these exchanges prove. */
export function heldIn(
  answers: readonly HandMadeAnswer[],
  requirements: RegExp,
  changes: Partial<Settings> = {},
): readonly string[] {
  const held = findingsIn(answers, changes).filter((finding) => !isFailing(finding));
  return [...new Set(held.map(({ requirement }) => requirement))].filter((id) => requirements.test(id));
}

const shownAs = ({ method = 'GET', target, body = '' }: PlannedRequest): string =>
  `${method} ${target} ${body.replace(/"name":"[^"]*",?/, '')}`;

/** A session with some exchanges, which must send just these requests next, but for names, and gets their answers. */
export function sessionOf(
  answers: readonly HandMadeAnswer[],
  next: readonly HandMadeAnswer[],
  changes: Partial<Settings> = {},
  creationsLeft = () => 9,
) {
  const asked = [...answers];
  const toCome = [...next];
  const exchanges = [...exchangesOf(answers)];
  const waits: number[] = [];
  const session = {
    exchanges,
    settings: trialSettings(60, changes),
    keys: { api: apiKey },
    budget: { creationsLeft },
    random: () => 0,
    newName: () => makeName('abc123', 500 + asked.length),
    wait: async (ms: number) => void waits.push(ms),
    send: async (request: PlannedRequest): Promise<Exchange> => {
      const answer = toCome.shift();
      assert.is(shownAs(request), answer && shownAs(answer.request));
      asked.push({ ...answer, request });
      exchanges.push(exchangesOf(asked).at(-1)!);
      return exchanges.at(-1)!;
    },
  };
  return { session: session as unknown as Session, waits, toCome };
}

/** What a kind of probes sends after some exchanges, as `rank method target body`; names are left out. */
export function requestsOf(
  kind: string,
  answers: readonly HandMadeAnswer[],
  changes: Partial<Settings> = {},
  more: Partial<Session> = {},
): readonly string[] {
  const session: Session = { ...sessionOf(answers, [], changes).session, ...more };
  const check = checks.find((one) => 'probes' in one && one.id === kind) as ProbeKind;
  return check.probes(session).flatMap(({ rank, request }) => {
    const planned = request(session);
    return planned === undefined ? [] : [`${rank} ${shownAs(planned)}`.trimEnd()];
  });
}

/** The answers that the observer of a gap reads, and the number of the exchange that shows the first. */
export function observe(
  gap: OpenGapId,
  answers: readonly HandMadeAnswer[],
  changes: Partial<Settings> = {},
): string | undefined {
  const observer = observers.find((one) => one.gap === gap);
  const observation = observer?.observe(readWorld(exchangesOf(answers), trialSettings(60, changes)), gap);
  return observation && `${observation.answers.join(', ')} #${observation.exchange.number}`;
}
