/** Adds the answers of the reference server to the failures of a report, so that a reader can compare the two. */

import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { conformanceSuite } from '../sections/index.ts';
import { causesOf } from '../verdict/causes.ts';
import { requiredCreations } from '../verdict/counterexample.ts';
import type { ReferenceAnswer, Report } from '../verdict/report.ts';
import { settingsWith } from '../world/settings.ts';
import { BudgetSpent, createBudget } from './budget.ts';
import { RunStopped } from './pace.ts';
import { NotRepeatable, resend } from './resend.ts';
import { createSession, type Session } from './session.ts';
import { openEmbedded } from './target.ts';

/** A target with more failures than these has one larger fault, which comparing does not show. */
const mostSequences = 50;
/** The answers to longer sequences say little. */
const longestSequence = 30;
/** For one sequence, with the creations that it needs. */
const mostRequests = 100;

function openSession(startsAt: number): Session {
  const { baseUrl, ...reference } = openEmbedded(startsAt);
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

/** Sends the steps to the reference server; resolves with nothing where one cannot be sent as it was. */
async function sendToReference(steps: Parameters<typeof resend>[2], startsAt: number): Promise<readonly Exchange[]> {
  try {
    return await resend(openSession(startsAt), conformanceSuite, steps, 'same');
  } catch (error) {
    if ([BudgetSpent, NotRepeatable, RunStopped].some((known) => error instanceof known)) return [];
    throw error;
  }
}

/** The numbers of the requests that show a failure, the last of them its own. */
function sequencesOf(report: Report): readonly (readonly number[])[] {
  const broken = (report.interactions ?? []).filter(({ verdict }) => verdict === 'fail' || verdict === 'pending');
  return [
    ...causesOf(report).map(({ failure: { sequence, exchanges } }) => [...(sequence ?? []), ...exchanges]),
    ...broken.map(({ exchanges }) => exchanges),
  ].slice(0, mostSequences);
}

/** The answers to a sequence, by the numbers of its requests; none where it exhausts a key, which depends on the time. */
async function answersTo(sequence: readonly number[], report: Report): Promise<readonly [number, ReferenceAnswer][]> {
  const shown = report.exchanges.filter(({ number }) => sequence.includes(number));
  const isLeftOut =
    shown.length > longestSequence || shown.some(({ credentialId }) => credentialId === 'rate-limit-key');
  if (shown.length === 0 || isLeftOut) return [];
  const steps = [...requiredCreations(shown, report.exchanges), ...shown];
  const again = await sendToReference(steps, Date.parse(report.settings.today));
  return again.flatMap(({ response }, at): [number, ReferenceAnswer][] => {
    const number = steps[at]?.number;
    if (response === undefined || number === undefined || !sequence.includes(number)) return [];
    const { status, headers, body, bodyLength } = response;
    return [[number, defined({ status, headers, body, bodyLength })]];
  });
}

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
