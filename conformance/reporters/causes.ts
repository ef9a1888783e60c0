/** Groups failures by cause: one defect may break many requirements in many exchanges, and is shown once. */

import type { FailureCode } from '../../spec/failure-codes.ts';
import { sentenceOf } from '../verdict/failure.ts';
import type { Report, ReportedFailure, ReportedRequirement } from '../verdict/report.ts';
import { brokenRequirements, type Mark, markOf } from './words.ts';

/** A requirement, with those of its failures that have the cause. */
export interface BrokenRequirement {
  readonly requirement: ReportedRequirement;
  readonly failures: readonly [ReportedFailure, ...ReportedFailure[]];
}

export interface Cause {
  /** The worst mark among its requirements: fail before warn before waived. */
  readonly mark: Mark;
  /** The failure that is shown for all of them. */
  readonly failure: ReportedFailure;
  /** The requirement of the shown failure comes first. */
  readonly requirements: readonly [BrokenRequirement, ...BrokenRequirement[]];
}

/** The worst first. */
const severity: readonly Mark[] = ['fail', 'warn', 'waived'];

function severityOf({ requirement }: BrokenRequirement): number {
  return severity.indexOf(markOf(requirement));
}

/** In these sections one defect breaks a requirement in several ways: a wrong key is accepted, a counter is wrong. */
const withManyCodes: readonly string[] = ['5', '8'];

/** A server error fails what was asked for, too. */
const isEcho = ({ requirement }: BrokenRequirement): boolean => requirement.id === 'errors-listed';

/** Failures of one requirement with one code have one cause. */
function brokenBy(requirement: ReportedRequirement): readonly BrokenRequirement[] {
  const byCode = Map.groupBy(requirement.failures, ({ code }) => withManyCodes.includes(requirement.section) || code);
  return [...byCode.values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ requirement, failures: [first, ...rest] as const }],
  );
}

/** Characters of a message that are compared; differences behind them are values. */
const longestShape = 500;

/**
 * A message without the values that differ between exchanges. A status stays, since it says what went wrong. The name of an
 * X-RateLimit header goes, since a defect that drops one of them drops all.
 */
function shapeOf(failure: ReportedFailure): string {
  const { code } = failure;
  const shape = sentenceOf(failure)
    .slice(0, longestShape)
    .replace(/"(?:\\.|[^"\\])*"/g, '""')
    .replace(/X-RateLimit-\w+/g, 'X-RateLimit')
    .replace(/-?\b(?![1-5]\d\d\b)\d+(?:\.\d+)?\b/g, '0');
  return `${code}: ${shape}`;
}

/** Codes of failures that one page shows together with others: what is wrong in one place of it says nothing about another. */
const ofPages: readonly string[] = [
  'id-twice-in-page',
  'animal-missing',
  'id-differs',
  'other-status',
  'too-many',
  'default-differs',
] satisfies readonly FailureCode[];

/** Statuses that operations may refuse with. Another 3xx or 4xx is the same mistake in every operation. */
const listed: readonly string[] = ['400', '401', '404', '429'];

/** The areas of the requirements on the answers of operations. */
const areas: readonly string[] = ['list', 'create', 'get', 'auth'];

/** These successes have one cause in their area. Any other wrong success may have many, such as fields that are not validated. */
const wrongSuccesses: readonly string[] = ['create 200', 'get 200', 'get 201'];

/** The wrong status that was received, with the area of the requirement. */
function statusKeys(broken: BrokenRequirement): readonly string[] {
  const { requirement, failures } = broken;
  const [failure] = failures;
  if (failure.status === undefined) return [];
  const status = String(failure.status);
  if (/^[34]/.test(status) && !listed.includes(status)) return [status];
  const own = isEcho(broken) ? areas : requirement.id.split('-', 1);
  const keys = own.map((area) => `${area} ${status}`);
  return /^20[01]/.test(status) ? keys.filter((key) => wrongSuccesses.includes(key)) : keys;
}

/** The statuses that came in place of another one in every area: one mistake answers all requests. */
function statusesEverywhere(all: readonly BrokenRequirement[]): ReadonlySet<string> {
  const keys = new Set(all.filter((broken) => !isEcho(broken)).flatMap(statusKeys));
  const statuses = [...keys].map((key) => key.slice(-3));
  return new Set(statuses.filter((status) => areas.every((area) => keys.has(`${area} ${status}`))));
}

/** Failures of the type or the value of a field of animals, and of the ids that tell them apart. */
const ofField = /^id(?=-)|^(?:name|categoryId|status)(?=-(?:wrong|not-int64|changed)$)/;

/** The field of animals that a failure is about: one defect breaks its type, its value, and what depends on it. */
function fieldKeys({ requirement, failures: [{ code, input }] }: BrokenRequirement): readonly string[] {
  const isOfError = requirement.id.startsWith('error-');
  // A number that is cut, or a status that is ignored, is not validated either.
  const accepted =
    code === 'accepted' && ['categoryId', 'status'].includes(input?.name ?? '') ? input?.name : undefined;
  const field = code === 'other-status' ? 'status' : (accepted ?? ofField.exec(code)?.[0]);
  return field === undefined || isOfError ? [] : [`field ${field}`];
}

/** A service that serves requests without a key serves them with any: other credentials share that cause, if it is there. */
function acceptedKeys({ requirement: { id, section }, failures: [{ code }] }: BrokenRequirement): readonly string[] {
  if (section !== '5' || code !== 'accepted') return [];
  const ids = id === 'auth-missing-key' ? ['auth-invalid-key', 'auth-bearer-header', 'auth-key-case'] : [id];
  return ids.map((other) => `accepted ${other}`);
}

/**
 * Requirements that share one of these keys share a cause: the same defect, the same wrong status, the same field of
 * animals, or the same last exchange. Every answer has the headers of §8, so an answer that is wrong in them and elsewhere
 * has two causes. Within one requirement every shared exchange counts, since a wrong answer is cited with the exchanges that
 * it is compared with.
 */
function keysOf(broken: BrokenRequirement, everywhere: ReadonlySet<string>): readonly string[] {
  const { requirement, failures } = broken;
  const [failure] = failures;
  const { code } = failure;
  const withinRequirement = failure.exchanges.map((number) => `${requirement.id} #${number}`);
  const part = requirement.section === '8' ? 'limits of ' : '';
  const citing = isEcho(broken) ? failures : ofPages.includes(code) ? [] : [failure];
  const answers = citing.map(({ exchanges }) => `${part}#${exchanges.at(-1)}`);
  const unreadable = code === 'not-json' || failure.received.endsWith('(service-json)') ? ['no JSON'] : [];
  return [
    shapeOf(failure),
    ...answers,
    ...unreadable,
    ...statusKeys(broken).map((key) => (everywhere.has(key.slice(-3)) ? key.slice(-3) : key)),
    ...fieldKeys(broken),
    ...acceptedKeys(broken),
    ...withinRequirement,
  ];
}

interface Group {
  readonly keys: readonly string[];
  readonly members: readonly BrokenRequirement[];
}

/** Adds a requirement to the groups with which it shares a key, and merges those groups. */
function join(groups: readonly Group[], broken: BrokenRequirement, everywhere: ReadonlySet<string>): readonly Group[] {
  const keys = keysOf(broken, everywhere);
  const alike = groups.filter((group) => group.keys.some((key) => keys.includes(key)));
  const related = isEcho(broken) ? alike.slice(0, 1) : alike;
  const others = groups.filter((group) => !related.includes(group));
  const joined = {
    keys: [...related.flatMap((group) => group.keys), ...keys],
    members: [...related.flatMap(({ members }) => members), broken],
  };
  return [...others, joined];
}

function byRequirement(members: readonly BrokenRequirement[]): readonly BrokenRequirement[] {
  const all = Map.groupBy(members, ({ requirement }) => requirement);
  return [...all].flatMap(([requirement, [first, ...rest]]) => {
    if (first === undefined) return [];
    return [{ requirement, failures: [...first.failures, ...rest.flatMap((one) => one.failures)] as const }];
  });
}

function causeOf({ members }: Group): readonly Cause[] {
  const [first, ...rest] = byRequirement(members).toSorted((one, other) => severityOf(one) - severityOf(other));
  if (first === undefined) return [];
  return [{ mark: markOf(first.requirement), failure: first.failures[0], requirements: [first, ...rest] }];
}

/** The causes of all failures and warnings: the worst first, then in the order of the interface. */
export function causesOf(report: Pick<Report, 'requirements'>): readonly Cause[] {
  const broken = brokenRequirements(report).flatMap(brokenBy);
  const everywhere = statusesEverywhere(broken);
  const place = ({ failure }: Cause): number => broken.findIndex(({ failures }) => failures[0] === failure);
  return broken
    .reduce<readonly Group[]>((groups, one) => join(groups, one, everywhere), [])
    .flatMap(causeOf)
    .sort((one, other) => severity.indexOf(one.mark) - severity.indexOf(other.mark) || place(one) - place(other));
}
