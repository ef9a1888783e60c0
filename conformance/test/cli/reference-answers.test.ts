/** Beside what shows a failure stands what the reference server answers to the same. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { findFault } from '../../faults/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { withReferenceAnswers } from '../../run/reference-answers.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import type { Report, ReportedExchange, ReportedFailure, ReportedRequirement } from '../../verdict/report.ts';

function reportOn(fault: string): Promise<Report> {
  const { handle } = createPetStore({ keys: trialKeys });
  return runInProcess(findFault(fault).wrap(handle, keysOfTrials), trialSettings(60));
}

/** The same report where these requirements are all that fails, each shown by these exchanges. */
function failing(report: Report, ...failures: readonly Pick<ReportedFailure, 'exchanges' | 'sequence'>[]): Report {
  const [pass] = report.requirements;
  const requirements = failures.map(
    (failure, at): ReportedRequirement => ({
      ...pass!,
      verdict: 'fail',
      failures: [{ code: `code-${at}`, expected: 'x'.repeat(at), received: 'y', curl: '', ...failure }],
    }),
  );
  return { ...report, requirements };
}

async function answered(report: Report): Promise<readonly number[]> {
  const { exchanges } = await withReferenceAnswers(report);
  return exchanges.flatMap(({ number, reference }) => (reference === undefined ? [] : [number]));
}

function shownBy({ requirements, exchanges }: Report, wanted: string): readonly ReportedExchange[] {
  const [failure] = requirements.find(({ id }) => id === wanted)!.failures;
  return exchanges.filter(({ number }) => failure!.exchanges.includes(number));
}

/** The name of an animal in a body, whether it shows one or many; blanks around it do not count. */
function nameIn(body: string, name: string): string | undefined {
  return [JSON.parse(body)].flat().find((animal) => animal.name.trim() === name.trim())?.name;
}

const trimmed = await reportOn('name-read-trimmed');
const [creation, read] = [shownBy(trimmed, 'pet-name-kept')[0]!, shownBy(trimmed, 'pet-name-kept').at(-1)!];
const { name } = JSON.parse(creation.request.body!) as { readonly name: string };

test('an animal that a failure rests on is created there too, with its name, and asked for by the id that it has there; nothing else changes', async () => {
  const { exchanges, ...rest } = await withReferenceAnswers(trimmed);
  const { exchanges: before, ...restBefore } = trimmed;
  assert.equal(rest, restBefore);
  assert.equal(
    exchanges.map(({ reference: _answer, ...exchange }) => exchange),
    before,
  );
  const answerTo = ({ number }: ReportedExchange) => exchanges.find((one) => one.number === number)!.reference!;
  assert.is(answerTo(creation).status, 201);
  assert.is(nameIn(read.response!.body, name), name.trim());
  assert.is(nameIn(answerTo(read).body, name), name);
  assert.is(answerTo(read).headers['content-type'], 'application/json');
  assert.is(answerTo(read).headers['date'], new Date(trimmed.settings.today).toUTCString());
});

test('only exchanges that show a failure get an answer, of fifty causes at most, and of no sequence longer than thirty', async () => {
  const both = failing(trimmed, { exchanges: [read.number], sequence: [creation.number, read.number] });
  assert.equal(await answered(both), [creation.number, read.number]);
  assert.equal(await answered(failing(trimmed)), []);
  const numbers = Array.from({ length: 52 }, (_nothing, at) => at + 1);
  const listing = { ...read, operation: 'listPets', request: { ...read.request, target: '/pets' } } as const;
  const all = { ...trimmed, exchanges: numbers.map((number) => ({ ...listing, number })) };
  const each = numbers.map((number) => ({ exchanges: [number] }));
  assert.equal(await answered(failing(all, ...each)), numbers.slice(0, 50));
  assert.is((await answered(failing(all, { exchanges: numbers.slice(0, 30) }))).length, 30);
  assert.equal(await answered(failing(all, { exchanges: numbers.slice(0, 31) })), []);
  const exchanges = trimmed.exchanges.map((one) => ({ ...one, credentialId: 'rate-limit-key' }));
  assert.equal(await answered({ ...trimmed, exchanges }), []);
});

test('names of the run are the same there, where a shared target gets no others', async () => {
  const { handle } = createPetStore({ keys: trialKeys });
  const settings = trialSettings(60, { isDisposable: false });
  const wrap = findFault('category-stored-rounded-to-double').wrap(handle, keysOfTrials);
  const report = await withReferenceAnswers(await runInProcess(wrap, settings));
  const [shown] = shownBy(report, 'pet-category-id-kept');
  assert.is(JSON.parse(shown!.reference!.body).name, JSON.parse(shown!.request.body!).name);
});

test('a wrong key gets 401 there, and no key of any server is shown', async () => {
  const report = await withReferenceAnswers(await reportOn('wrong-key-answers-403'));
  const [refused] = shownBy(report, 'auth-invalid-key');
  assert.equal([refused!.response?.status, refused!.reference?.status], [403, 401]);
  assert.not.match(JSON.stringify(report), /embedded-/);
});

test('an interaction that does not hold is asked there, one that holds is not', async () => {
  const [first, second] = trimmed.exchanges;
  const common = { description: 'animals', consumer: 'shop', states: [], messages: [] };
  const interactions = [
    { ...common, verdict: 'pass', exchanges: [first!.number] },
    { ...common, verdict: 'fail', exchanges: [second!.number] },
  ] as const;
  assert.equal(await answered({ ...trimmed, requirements: [], interactions }), [second!.number]);
});

test.run();
