/** Which failures have one cause: one defect may break many requirements in many exchanges, and is shown once. */

import type { FailureCode } from '../../spec/failure-codes.ts';
import { listedStatuses } from '../../spec/operations.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Report, ReportedFailure, ReportedRequirement } from './report.ts';
import type { Verdict } from './verdict.ts';

/** The mark of a requirement: its verdict, unless a waiver excuses it. */
export type ShownVerdict = Verdict | 'waived';

export function shownVerdict({ verdict, waiver }: ReportedRequirement): ShownVerdict {
  return waiver?.state === 'waived' ? 'waived' : verdict;
}

type NonEmpty<One> = readonly [One, ...One[]];

export const nonEmpty = <One>([first, ...rest]: readonly One[]): NonEmpty<One> => [first!, ...rest];

/** A requirement, with those of its failures that have the cause. */
export interface BrokenRequirement {
  readonly requirement: ReportedRequirement;
  readonly failures: NonEmpty<ReportedFailure>;
}

export interface Cause {
  /** The worst mark among its requirements: fail before warn before waived. */
  readonly mark: ShownVerdict;
  /** The failure that is shown for all of them. */
  readonly failure: ReportedFailure;
  /** The requirement of the shown failure comes first. */
  readonly requirements: NonEmpty<BrokenRequirement>;
}

/** A kind of failure; a field that is left out matches any. */
interface Kind {
  readonly code: FailureCode;
  readonly of?: RequirementId;
  readonly input?: string;
  readonly status?: number;
}

/** If there is a failure of a kind in `cause`, all failures of the row have that cause. */
interface CauseRow {
  readonly cause: readonly Kind[];
  readonly consequences?: readonly Kind[];
}

const codes = (...all: readonly FailureCode[]): readonly Kind[] => all.map((code) => ({ code }));

/** Failures of getPet that follow if answers show an id that no animal has. */
const notFound: readonly Kind[] = [
  { code: 'unexpected-status', of: 'get-answer', status: 404 },
  { code: 'removed-early', of: 'get-until-removal', status: 404 },
  { code: 'another-animal', of: 'get-answer' },
];

const explains: readonly CauseRow[] = [
  // If an id is null, cut or the client's, several animals share it, and other answers show other animals under it.
  {
    cause: codes(
      'id-missing',
      'id-wrong',
      'id-not-int64',
      'id-of-the-client',
      'id-assigned-twice',
      'id-in-use',
      'id-differs',
    ),
    consequences: [
      ...codes('id-twice-in-page', 'name-changed', 'categoryId-changed', 'status-changed', 'animal-missing'),
      ...notFound,
    ],
  },
  // An animal that was stored nowhere is neither listed nor found.
  { cause: codes('animal-missing'), consequences: notFound },
  { cause: codes('name-wrong', 'name-changed') },
  // A service that cuts a number or ignores a status does not validate it either.
  {
    cause: [
      ...codes('categoryId-wrong', 'categoryId-not-int64', 'categoryId-changed'),
      { code: 'accepted', input: 'categoryId' },
    ],
  },
  {
    cause: [
      { code: 'status-wrong', of: 'pet-status' },
      ...codes('status-changed', 'other-status'),
      { code: 'accepted', input: 'status' },
    ],
  },
  // A service that needs no key accepts any key, and refuses a request only for its other mistakes.
  {
    cause: [{ code: 'accepted', of: 'auth-missing-key' }],
    consequences: (['auth-invalid-key', 'auth-bearer-header', 'auth-key-case'] as const).flatMap((of) =>
      (['accepted', 'unexpected-status'] as const).map((code) => ({ code, of })),
    ),
  },
  // Whatever drops or breaks one header of §8 does so to the others.
  { cause: codes('missing') },
  { cause: codes('not-an-integer') },
  { cause: codes('too-many') },
  // A refusal without an Error has the cause of other errors that are none.
  { cause: codes('not-json'), consequences: codes('refusal-without-error') },
  {
    cause: [
      ...codes('not-an-object', 'code-missing', 'code-wrong', 'message-missing', 'message-wrong'),
      { code: 'status-missing', of: 'error-status' },
      { code: 'status-wrong', of: 'error-status' },
    ],
    consequences: codes('refusal-without-error'),
  },
  { cause: codes('refusal-without-error') },
];

/** Codes of failures in a page. Two of them may have different causes, although the same page shows both. */
const ofPages: readonly string[] = [
  'id-twice-in-page',
  'animal-missing',
  'id-differs',
  'other-status',
  'too-many',
  'default-differs',
] satisfies readonly FailureCode[];

/** In these sections one defect breaks a requirement in several ways: a wrong key is accepted, a counter is wrong. */
const withManyCodes: readonly string[] = ['5', '8'];

/** Failures of one requirement with one code have one cause. */
function brokenBy(requirement: ReportedRequirement): readonly BrokenRequirement[] {
  const byCode = Map.groupBy(requirement.failures, ({ code }) => withManyCodes.includes(requirement.section) || code);
  return [...byCode.values()].map((failures) => ({ requirement, failures: nonEmpty(failures) }));
}

function isOf({ requirement, failures: [failure] }: BrokenRequirement, kinds: readonly Kind[]): boolean {
  return kinds.some(
    ({ code, of = requirement.id, input = failure.input?.name, status = failure.status }) =>
      code === failure.code && of === requirement.id && input === failure.input?.name && status === failure.status,
  );
}

/** A success in place of a refusal may have many causes, such as fields that are not validated. */
const ofManyCauses: readonly string[] = ['accepted', 'not-refused'] satisfies readonly FailureCode[];

/**
 * One wrong status in one area, such as create, is one mistake. An error of the server, or a status that no operation lists,
 * is one mistake across all areas.
 */
function statusTraits({ requirement, failures: [{ code, status }] }: BrokenRequirement): readonly string[] {
  if (status === undefined || ofManyCauses.includes(code)) return [];
  if (status >= 500) return ['server error'];
  const [area] = requirement.id.split('-', 1);
  return [listedStatuses.includes(status) ? `${area} ${status}` : `${status}`];
}

/**
 * What a failure shares with others of its cause: a row of `explains`, a wrong status, or the answer that shows it. Every
 * answer has the headers of §8, so an answer that is wrong in them and elsewhere has two causes. Within one requirement every
 * shared exchange counts, since a wrong answer is cited with the exchanges that it is compared with.
 */
function createTraits(all: readonly BrokenRequirement[]): (broken: BrokenRequirement) => readonly string[] {
  const rows = explains.filter(({ cause }) => all.some((broken) => isOf(broken, cause)));
  return (broken) => {
    const { requirement, failures } = broken;
    const [{ code, exchanges }] = failures;
    const part = requirement.section === '8' ? 'limits of ' : '';
    return [
      ...rows.flatMap(({ cause, consequences = [] }, at) =>
        isOf(broken, [...cause, ...consequences]) ? [`row ${at}`] : [],
      ),
      ...statusTraits(broken),
      ...(ofPages.includes(code) ? [] : [`${part}#${exchanges.at(-1)}`]),
      ...exchanges.map((number) => `${requirement.id} #${number}`),
    ];
  };
}

/** The worst first. */
const severity: readonly ShownVerdict[] = ['fail', 'warn', 'waived'];

/** One cause of failures that share traits: the requirement that is broken worst comes first. */
function causeOf(members: readonly BrokenRequirement[]): Cause {
  const rank = ({ requirement }: BrokenRequirement): number => severity.indexOf(shownVerdict(requirement));
  const byRequirement = [...Map.groupBy(members, ({ requirement }) => requirement)].map(([requirement, own]) => ({
    requirement,
    failures: nonEmpty(own.flatMap(({ failures }) => failures)),
  }));
  const requirements = nonEmpty(byRequirement.toSorted((one, other) => rank(one) - rank(other)));
  const [{ requirement, failures }] = requirements;
  return { mark: shownVerdict(requirement), failure: failures[0], requirements };
}

/** The causes of all failures and warnings: the worst first, then in the order of the interface. */
export function causesOf({ requirements }: Pick<Report, 'requirements'>): readonly Cause[] {
  const broken = requirements.flatMap(brokenBy);
  const traitsOf = createTraits(broken);
  let groups: readonly { readonly traits: readonly string[]; readonly members: readonly BrokenRequirement[] }[] = [];
  for (const one of broken) {
    const own = traitsOf(one);
    // A failure that shares traits with several groups joins them into one.
    const { related = [], others = [] } = Object.groupBy(groups, ({ traits }) =>
      traits.some((trait) => own.includes(trait)) ? 'related' : 'others',
    );
    const traits = [...related.flatMap((group) => group.traits), ...own];
    groups = [...others, { traits, members: [...related.flatMap(({ members }) => members), one] }];
  }
  const place = ({ failure }: Cause): number => broken.findIndex(({ failures }) => failures[0] === failure);
  return groups
    .map(({ members }) => causeOf(members))
    .sort((one, other) => severity.indexOf(one.mark) - severity.indexOf(other.mark) || place(one) - place(other));
}
