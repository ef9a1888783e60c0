/** `replay REPORT ID BASE_URL`: sends the shortest sequence of one failure again and says whether it still fails. */

import { randomBytes } from 'node:crypto';
import { isRequirementId, type RequirementId } from '../../../spec/requirements.ts';
import type { Exchange } from '../../http/exchange.ts';
import { escapeForTerminal, shorten } from '../../reporters/escape.ts';
import { exchangeLines } from '../../reporters/evidence.ts';
import { BudgetSpent, createBudget } from '../../run/budget.ts';
import { RunStopped } from '../../run/pace.ts';
import { resend } from '../../run/resend.ts';
import { createSession, type Session, type SessionOptions } from '../../run/session.ts';
import { findCredential } from '../../sections/5-authentication/refused-credentials.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { listPets } from '../../sections/requests.ts';
import { stepOfReport } from '../../verdict/counterexample.ts';
import { sentenceOf } from '../../verdict/failure.ts';
import { type Failing, isFailing } from '../../verdict/finding.ts';
import { createJudge, createJudging } from '../../verdict/findings.ts';
import type { Report, ReportedExchange, ReportedRequirement } from '../../verdict/report.ts';
import { reportExchange } from '../../verdict/report-exchange.ts';
import { settingsWith } from '../../verdict/settings.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import type { Values } from '../options.ts';
import { createProgress } from '../progress.ts';
import { findSteps, type SavedFailure } from '../saved-failure.ts';
import { readReport } from '../saved-report.ts';
import { createStop, type Host } from '../stop.ts';
import { openTarget, type Target } from '../target.ts';
import { UsageError } from '../usage-error.ts';

/** A step may meet an outage and a 429. */
const attemptsPerStep = 10;
interface Failure extends SavedFailure {
  readonly requirement: ReportedRequirement & { readonly id: RequirementId };
}

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
  const found = findSteps(report, file, id, failure);
  if (typeof found === 'string') throw new UsageError(found);
  return { ...found, requirement: { ...requirement, id } };
}

/** Nothing can be said about the requirement: the command ends with 3, like a run that could not judge. */
class CannotTell extends Error {}

/** A request whose credential cannot be made again shows nothing. */
function checkCredentials(steps: readonly ReportedExchange[], keys: Target['keys']): void {
  const unknown = steps.find(({ credentialId }) => findCredential(credentialId, keys) === undefined);
  if (unknown === undefined) return;
  const { number, credential } = unknown;
  throw new CannotTell(`#${number} was sent with ${credential}, which this kit cannot make of the key that it has`);
}

function openSession(
  values: Values<'replay'>,
  target: Target,
  steps: number,
  observers: Pick<SessionOptions, 'signal' | 'onWait'>,
): Session {
  const settings = settingsWith({
    ...values,
    maxRequests: attemptsPerStep * (steps + 1),
    maxCreates: attemptsPerStep * steps,
    today: values.today ?? Date.now(),
    baseUrl: target.baseUrl,
    isDisposable: values.isDisposable ?? false,
  });
  return createSession({
    ...observers,
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
 * At a wrong address or with a refused key, half of all requirements seem to hold. A plain listing shows whether that is
 * so, unless the report has one with the same status.
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
  const problem =
    status === 401 ? 'the target refused the API key with 401' : `a plain listing was answered with ${status}`;
  throw new CannotTell(`${problem}: check the key and the base address ${session.settings.baseUrl}`);
}

/** The failure that the answers show, or undefined if the requirement holds. */
function judgeAgain(
  session: Session,
  again: readonly Exchange[],
  { requirement, shownBy, foundations }: Failure,
): Failing | undefined {
  again.forEach(checkAnswered);
  const judge = createJudge(conformanceSuite, session.settings, createJudging());
  const findings = judge(again, requirement.id).filter((finding) => finding.requirement === requirement.id);
  const failing = findings.find(isFailing);
  // The requirement must hold for the answer that broke it, not just elsewhere in the sequence.
  if (
    failing !== undefined ||
    findings.some(({ exchanges }) => exchanges.includes(again[foundations.length + shownBy]!))
  )
    return failing;
  throw new CannotTell(
    'no answer shows it; the target answered differently, or lacks the animals that the failure needs',
  );
}

function showVerdict({ id, section }: ReportedRequirement, failing: Failing | undefined): string {
  if (failing === undefined) return `${id} does not fail any more.\n`;
  const message = sentenceOf(failing.failure);
  return `STILL FAILS §${section} ${id}\n  ${failing.failure.code}: ${escapeForTerminal(message)}\n`;
}

/** Sends the steps and prints the result; 1 if the requirement still fails, 0 if it holds. */
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

/** The address that the user gave: the key goes to no address that only a report names. */
function confirmedAddress({ baseUrl }: Values<'replay'>, { target }: Report, words: string): string {
  if (baseUrl !== undefined) return baseUrl;
  const shown = shorten(escapeForTerminal(target.baseUrl), 80);
  throw new UsageError(
    `replay needs the base address, since your key is sent there: petstore-conformance replay ${words} BASE_URL (the report names ${shown}).`,
  );
}

/** 1 if the failure is still there, 0 if its requirement holds now, 3 if the answers show neither. */
export async function replay(
  { values, words: [file = '', name = ''] }: Invocation<'replay'>,
  host: Host,
): Promise<number> {
  const report = readReport(file);
  const failure = findFailure(report, name, file);
  const baseUrl = confirmedAddress(values, report, `${file} ${name}`);
  const { signal } = createStop(values.deadlineMs, host);
  const target = await openTarget({ ...values, baseUrl }, host.time.clock(signal));
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
