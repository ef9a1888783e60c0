/** `replay REPORT ID [BASE_URL]`: sends the shortest sequence of one failure again and says whether it still fails. */

import { randomBytes } from 'node:crypto';
import { isRequirementId, type RequirementId } from '../../../spec/requirements.ts';
import type { Exchange } from '../../http/exchange.ts';
import { escapeForTerminal } from '../../reporters/escape.ts';
import { exchangeLines } from '../../reporters/evidence.ts';
import { BudgetSpent, createBudget } from '../../run/budget.ts';
import { RunStopped } from '../../run/pace.ts';
import { resend } from '../../run/recheck.ts';
import { createSession, type Session, type SessionOptions } from '../../run/session.ts';
import { findCredential } from '../../sections/5-authentication/refused-credentials.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { listPets } from '../../sections/requests.ts';
import { requiredCreations, stepOfReport } from '../../verdict/counterexample.ts';
import { type Failing, isFailing } from '../../verdict/finding.ts';
import { createJudge, createJudging } from '../../verdict/findings.ts';
import type { Report, ReportedExchange, ReportedRequirement } from '../../verdict/report.ts';
import { reportExchange } from '../../verdict/report-exchange.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import type { Values } from '../options.ts';
import { createProgress } from '../progress.ts';
import { readBaseUrl } from '../readers.ts';
import { readReport } from '../saved-report.ts';
import { createStop } from '../stop.ts';
import { openTarget, type Target } from '../target.ts';
import { UsageError } from '../usage-error.ts';

/** What has no answer is asked once more, and what was answered with 429 once after that. */
const attemptsPerStep = 3;

/** A failure of a report: what fails, and the requests that show it. */
interface Failure {
  readonly requirement: ReportedRequirement & { readonly id: RequirementId };
  readonly steps: readonly ReportedExchange[];
  /** What creates the animals that the requests ask for. */
  readonly foundations: readonly ReportedExchange[];
  /** The place among the steps of the one whose answer broke the requirement. */
  readonly shownBy: number;
}

/** The failure that a user names by its requirement. */
function findFailure(report: Report, name: string, file: string): Failure {
  const failing = report.requirements.filter(({ failures }) => failures.length > 0);
  const requirement = failing.find(({ id }) => id === name);
  const [failure] = requirement?.failures ?? [];
  if (requirement === undefined || failure === undefined) {
    const names = failing.map(({ id }) => id).join(', ') || 'none';
    throw new UsageError(`${file} has no failure of "${name}"; those it has: ${names}.`);
  }
  const { id } = requirement;
  if (!isRequirementId(id)) {
    throw new UsageError(
      `What a client broke cannot be sent again to a service: run petstore-conformance client again.`,
    );
  }
  const sequence = failure.sequence ?? failure.exchanges;
  const steps = sequence.map((number) => {
    const exchange = report.exchanges.find((candidate) => candidate.number === number);
    if (exchange !== undefined) return exchange;
    throw new UsageError(`${file} holds no exchange ${number}, which the failure of ${name} needs: was it cut out?`);
  });
  if (steps.length === 0) throw new UsageError(`${file} tells no exchange for the failure of ${name}.`);
  if (steps.some(({ credentialId }) => credentialId === 'rate-limit-key')) {
    throw new UsageError(`A failure of ${name} takes a key to exhaust: judge it again with run --only ${name}.`);
  }
  const last = Math.max(...failure.exchanges);
  const foundations = requiredCreations(steps, report.exchanges);
  return { requirement: { ...requirement, id }, steps, foundations, shownBy: sequence.indexOf(last) };
}

/** Why nothing can be said of the text: it ends with 3, as for a run that could not judge. */
class CannotTell extends Error {}

/** What cannot be sent as it was sent shows nothing. */
function checkCredentials(steps: readonly ReportedExchange[], keys: Target['keys']): void {
  const unknown = steps.find(({ credentialId }) => findCredential(credentialId, keys) === undefined);
  if (unknown === undefined) return;
  const { number, credential } = unknown;
  throw new CannotTell(`#${number} was sent with ${credential}, which this kit cannot make of the key that it has`);
}

/** A session that has what the steps may take, and waits where a person sees it. */
function openSession(
  values: Values<'replay'>,
  target: Target,
  steps: number,
  by: Pick<SessionOptions, 'signal' | 'onWait'>,
): Session {
  const settings = {
    ...values,
    maxRequests: attemptsPerStep * (steps + 1),
    maxCreates: attemptsPerStep * steps,
    isReadOnly: false,
    concurrency: 1,
    seed: 0,
    today: values.today ?? Date.now(),
    baseUrl: target.baseUrl,
    hasRateLimitKey: false,
    isDisposable: values.isDisposable ?? false,
  };
  return createSession({
    ...by,
    settings,
    keys: target.keys,
    transport: target.transport,
    clock: target.clock,
    budget: createBudget(settings.maxRequests, settings.maxCreates),
    runTag: randomBytes(3).toString('hex'),
  });
}

function checkAnswered({ response, failure }: Exchange): void {
  if (response === undefined) throw new CannotTell(`the target gave no answer (${failure?.message ?? ''})`);
}

/**
 * At a wrong address or with a key that is refused, half of all requirements seem to hold. A plain listing tells, unless
 * the report knows one that was answered the same way.
 */
async function checkAddressAndKey(session: Session, report: Report): Promise<void> {
  const listing = await session.send(listPets());
  checkAnswered(listing);
  const status = listing.response?.status;
  const isKnown = report.exchanges.some(
    (one) =>
      one.operation === 'listPets' && one.credentialId === listing.credential.id && one.response?.status === status,
  );
  if (status === 200 || isKnown) return;
  const what =
    status === 401 ? 'the target refused the API key with 401' : `a plain listing was answered with ${status}`;
  throw new CannotTell(`${what}: check the key and the base address ${session.settings.baseUrl}`);
}

/** What the answers say of the text: a failure, or undefined where it holds. */
function judgeAgain(
  session: Session,
  again: readonly Exchange[],
  { requirement, shownBy, foundations }: Failure,
): Failing | undefined {
  again.forEach(checkAnswered);
  const judge = createJudge(conformanceSuite, session.settings, createJudging());
  const findings = judge(again, requirement.id).filter((finding) => finding.requirement === requirement.id);
  const failing = findings.find(isFailing);
  // What holds elsewhere in the sequence says nothing of the answer that broke the requirement.
  if (
    failing !== undefined ||
    findings.some(({ exchanges }) => exchanges.includes(again[foundations.length + shownBy]!))
  )
    return failing;
  throw new CannotTell('no answer shows it; the target answered in another way, or lacks what the failure rests on');
}

function showVerdict({ id, section }: ReportedRequirement, failing: Failing | undefined): string {
  if (failing === undefined) return `${id} does not fail any more.\n`;
  const { code, message } = failing.failure;
  return `STILL FAILS §${section} ${id}\n  ${code}: ${escapeForTerminal(message)}\n`;
}

/** Sends the steps and says what came of them; 1 when the requirement still fails, 0 when it holds. */
async function sendAndJudge(session: Session, report: Report, failure: Failure): Promise<0 | 1> {
  session.enter('replay');
  await checkAddressAndKey(session, report);
  const { steps, foundations } = failure;
  const again = await resend(session, conformanceSuite, [...foundations, ...steps].map(stepOfReport));
  const lines = again.flatMap((exchange, at) => exchangeLines({ ...reportExchange(exchange), number: at + 1 }));
  await print(`${lines.join('\n')}\n`);
  const failing = judgeAgain(session, again, failure);
  await print(showVerdict(failure.requirement, failing));
  return failing === undefined ? 0 : 1;
}

/** 1 when the failure is still there, 0 when its requirement holds there now, 3 when the answers show neither. */
export async function replay(
  { values, words: [file = '', name = ''] }: Invocation<'replay'>,
  interruption: AbortSignal,
): Promise<number> {
  const report = readReport(file);
  const failure = findFailure(report, name, file);
  // The report says where it failed; another base address may be named all the same.
  const baseUrl = values.baseUrl ?? readBaseUrl(report.target.baseUrl, `The target of ${file}`);
  const { signal } = createStop(values.deadlineMs, interruption);
  const target = await openTarget({ ...values, baseUrl }, signal);
  const steps = [...failure.foundations, ...failure.steps];
  const progress = createProgress(steps.length);
  try {
    checkCredentials(steps, target.keys);
    const session = openSession(values, target, steps.length, { signal, onWait: progress.wait });
    return await sendAndJudge(session, report, failure);
  } catch (error) {
    if (![CannotTell, RunStopped, BudgetSpent].some((known) => error instanceof known)) throw error;
    await print(`${escapeForTerminal(`Cannot tell whether ${name} still fails: ${(error as Error).message}`)}\n`);
    return 3;
  } finally {
    progress.end();
    await target.close();
  }
}
