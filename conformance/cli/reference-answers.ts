/** What the reference server answers where a target fails: a reader sees both beside each other. */

import type { Exchange } from '../http/exchange.ts';
import { causesOf } from '../reporters/causes.ts';
import { exchangesOf } from '../reporters/evidence.ts';
import { BudgetSpent, createBudget } from '../run/budget.ts';
import { RunStopped } from '../run/pace.ts';
import { NotRepeatable, resend } from '../run/recheck.ts';
import { createSession, type Session } from '../run/session.ts';
import { conformanceSuite } from '../sections/index.ts';
import { requiredCreations, stepOfReport } from '../verdict/counterexample.ts';
import type { ReferenceAnswer, Report } from '../verdict/report.ts';
import { settingsWith } from '../verdict/settings.ts';
import { openReference } from './target.ts';

/** More causes than these are none: something else is wrong with the target. */
const mostSequences = 50;
/** Longer sequences say little by their answers. */
const longestSequence = 30;
/** With the creations that it rests on. */
const mostRequests = 100;

/** A session with a reference server that nobody has used yet. */
function openSession(startsAt: number): Session {
  const { baseUrl, ...reference } = openReference(startsAt);
  return createSession({
    ...reference,
    settings: settingsWith({
      baseUrl,
      today: startsAt,
      maxRequests: mostRequests,
      maxCreates: mostRequests,
      maxWaitMs: Number.POSITIVE_INFINITY,
      hasRateLimitKey: true,
      isDisposable: true,
    }),
    budget: createBudget(mostRequests, mostRequests),
    runTag: '000000',
  });
}

/** Resolves with nothing where a request cannot be sent as it was. */
async function sendThere(steps: Parameters<typeof resend>[2], startsAt: number): Promise<readonly Exchange[]> {
  try {
    return await resend(openSession(startsAt), conformanceSuite, steps, 'same');
  } catch (error) {
    if ([BudgetSpent, NotRepeatable, RunStopped].some((known) => error instanceof known)) return [];
    throw error;
  }
}

/** The numbers of the requests that show a failure, the last of them its own. */
function sequencesOf(report: Report): readonly (readonly number[])[] {
  const ofInteractions = (report.interactions ?? []).filter(
    ({ verdict }) => verdict === 'fail' || verdict === 'pending',
  );
  return [
    ...causesOf(report).map(({ failure: { sequence, exchanges } }) => [...(sequence ?? []), ...exchanges]),
    ...ofInteractions.map(({ exchanges }) => exchanges),
  ].slice(0, mostSequences);
}

/** The answers to a sequence, by the numbers of its requests. What uses up a key depends on when it is sent. */
async function answersTo(sequence: readonly number[], report: Report): Promise<readonly [number, ReferenceAnswer][]> {
  const shown = exchangesOf(report, sequence);
  const isLeftOut =
    shown.length > longestSequence || shown.some(({ credentialId }) => credentialId === 'rate-limit-key');
  if (shown.length === 0 || isLeftOut) return [];
  const steps = [...requiredCreations(shown, report.exchanges), ...shown].map(stepOfReport);
  const again = await sendThere(steps, Date.parse(report.settings.today));
  return again.flatMap(({ response }, at): [number, ReferenceAnswer][] => {
    const number = steps[at]?.number;
    if (response === undefined || number === undefined || !sequence.includes(number)) return [];
    const { status, headers, body, bodyLength } = response;
    return [[number, { status, headers, body, ...(bodyLength === undefined ? {} : { bodyLength }) }]];
  });
}

/** The same report, with what the reference server answers to the requests that show what fails. */
export async function withReferenceAnswers(report: Report): Promise<Report> {
  const answers = new Map<number, ReferenceAnswer>();
  for (const sequence of sequencesOf(report)) {
    for (const [number, answer] of await answersTo(sequence, report)) answers.set(number, answer);
  }
  const exchanges = report.exchanges.map((exchange) => {
    const reference = answers.get(exchange.number);
    return reference === undefined ? exchange : { ...exchange, reference };
  });
  return { ...report, exchanges };
}
