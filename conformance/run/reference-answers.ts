/** Adds the answers of the reference server to the failures of a report, so that a reader can compare the two. */

import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { conformanceSuite } from '../sections/index.ts';
import { causesOf } from '../verdict/causes.ts';
import { requiredCreations, type Step } from '../verdict/counterexample.ts';
import type { ReferenceAnswer, Report } from '../verdict/report.ts';
import { settingsWith } from '../world/settings.ts';
import { createBudget } from './budget.ts';
import { NotRepeatable, resend } from './resend.ts';
import { createSession } from './session.ts';
import { openEmbedded } from './target.ts';

/** A target with more failures than these has one larger fault, which comparing does not show. */
const mostSequences = 50;
/** The answers to longer sequences say little. */
const longestSequence = 30;

/** Sends steps to the reference server; resolves with nothing where one cannot be sent as it was. */
async function sendToReference(steps: readonly Step[], today: number): Promise<readonly Exchange[]> {
  const { baseUrl, ...reference } = openEmbedded(today);
  const settings = settingsWith({ baseUrl, today, hasRateLimitKey: true, isDisposable: true });
  const budget = createBudget(steps.length, steps.length + 1);
  const session = createSession({ ...reference, settings, budget, runTag: '000000' });
  return resend(session, conformanceSuite, steps, 'same').catch((error: unknown) => {
    if (error instanceof NotRepeatable) return [];
    throw error;
  });
}

/** The numbers of the requests that show a failure, the last of them its own. */
function sequencesOf(report: Report): readonly (readonly number[])[] {
  const broken = (report.interactions ?? []).filter(({ verdict }) => verdict === 'fail' || verdict === 'pending');
  return [
    ...causesOf(report).map(({ failure: { sequence, exchanges } }) => [...(sequence ?? []), ...exchanges]),
    ...broken.map(({ exchanges }) => exchanges),
  ].slice(0, mostSequences);
}

export async function withReferenceAnswers(report: Report): Promise<Report> {
  const answers = new Map<number | undefined, ReferenceAnswer>();
  for (const sequence of sequencesOf(report)) {
    const shown = report.exchanges.filter(({ number }) => sequence.includes(number));
    // A key that is exhausted depends on the time.
    const isLeftOut =
      shown.length > longestSequence || shown.some(({ credentialId }) => credentialId === 'rate-limit-key');
    if (shown.length === 0 || isLeftOut) continue;
    const steps = [...requiredCreations(shown, report.exchanges), ...shown];
    const again = await sendToReference(steps, Date.parse(report.settings.today));
    for (const [at, { response }] of again.entries()) {
      const { status, headers, body, bodyLength } = response!;
      answers.set(steps[at]?.number, defined({ status, headers, body, bodyLength }));
    }
  }
  const cited = new Set(sequencesOf(report).flat());
  const exchanges = report.exchanges.map((exchange) => {
    const reference = cited.has(exchange.number) ? answers.get(exchange.number) : undefined;
    return reference === undefined ? exchange : { ...exchange, reference };
  });
  return { ...report, exchanges };
}
