/** Beside what shows a failure stands what the reference server answers to the same. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { faults } from '../../faults/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { withReferenceAnswers } from '../../run/reference-answers.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import type {
  EvidenceScope,
  Report,
  ReportedExchange,
  ReportedFailure,
  ReportedRequirement,
} from '../../verdict/report.ts';

async function reportOn(fault: string, scope: EvidenceScope = 'failures'): Promise<Report> {
  const { wrap } = faults.find(({ id }) => id === fault)!;
  return runInProcess(wrap(createPetStore({ keys: trialKeys }).handle, keysOfTrials), trialSettings(60), { scope });
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

const trimmed = await reportOn('name-read-trimmed');

/** The name of an animal in a body, whether it shows one or many; blanks around it do not count. */
function nameIn(body: string, name: string): string | undefined {
  return [JSON.parse(body)].flat().find((animal) => animal.name.trim() === name.trim())?.name;
}

test('an animal that a failure rests on is created there too, with its name, and asked for by the id that it has there', async () => {
  const shown = shownBy(await withReferenceAnswers(trimmed), 'pet-name-kept');
  const [creation, read] = [shown[0]!, shown.at(-1)!];
  assert.is(creation.reference?.status, 201);
  const name = JSON.parse(creation.request.body!).name;
  assert.is(nameIn(read.response!.body, name), name.trim());
  assert.is(nameIn(read.reference!.body, name), name);
  assert.is(read.reference!.headers['content-type'], 'application/json');
  assert.is(read.reference!.headers['date'], new Date(trimmed.settings.today).toUTCString());
});

test('earlier requests of a failure are sent too, and only exchanges that show the failure get a reference answer', async () => {
  const [creation, read] = [shownBy(trimmed, 'pet-name-kept')[0]!, shownBy(trimmed, 'pet-name-kept').at(-1)!];
  const { exchanges } = await withReferenceAnswers(failing(trimmed, { exchanges: [read.number] }));
  const { reference } = exchanges.find(({ number }) => number === read.number)!;
  const { name } = JSON.parse(creation.request.body!);
  assert.is(nameIn(reference!.body, name), name);
  assert.equal(await answered(failing(trimmed, { exchanges: [read.number] })), [read.number]);
  const both = failing(trimmed, { exchanges: [read.number], sequence: [creation.number, read.number] });
  assert.equal(await answered(both), [creation.number, read.number]);
});

test('of many causes fifty are asked, and no sequence longer than thirty', async () => {
  const all = await reportOn('name-read-trimmed', 'all');
  const numbers = all.exchanges.map(({ number }) => number);
  const each = numbers.slice(0, 52).map((number) => ({ exchanges: [number] }));
  assert.equal(await answered(failing(all, ...each)), numbers.slice(0, 50));
  assert.is((await answered(failing(all, { exchanges: numbers.slice(0, 30) }))).length, 30);
  assert.equal(await answered(failing(all, { exchanges: numbers.slice(0, 31) })), []);
});

test('nothing else of the report changes, and only exchanges that show a failure are sent', async () => {
  const { exchanges, ...rest } = await withReferenceAnswers(trimmed);
  const { exchanges: before, ...restBefore } = trimmed;
  assert.equal(rest, restBefore);
  assert.equal(
    exchanges.map(({ reference: _answer, ...exchange }) => exchange),
    before,
  );
  const all = await withReferenceAnswers({ ...trimmed, requirements: [] });
  assert.not.ok(all.exchanges.some(({ reference }) => reference !== undefined));
});

test('a report without exchanges, or of credentials that are not known, stays as it is', async () => {
  const bare = { ...trimmed, exchanges: [] };
  assert.equal(await withReferenceAnswers(bare), bare);
  const unknown = { ...trimmed, exchanges: trimmed.exchanges.map((one) => ({ ...one, credentialId: 'unseen' })) };
  assert.equal(await withReferenceAnswers(unknown), unknown);
  const limit = { ...trimmed, exchanges: trimmed.exchanges.map((one) => ({ ...one, credentialId: 'rate-limit-key' })) };
  assert.equal(await withReferenceAnswers(limit), limit);
});

test('a wrong key gets 401 there, and no key of any server is shown', async () => {
  const report = await withReferenceAnswers(await reportOn('wrong-key-answers-403'));
  const [refused] = shownBy(report, 'auth-invalid-key');
  assert.equal([refused!.response?.status, refused!.reference?.status], [403, 401]);
  assert.not.match(JSON.stringify(report), /embedded-/);
});

test('an interaction that does not hold is asked there, one that holds is not', async () => {
  const [first, second] = trimmed.exchanges;
  const interaction = (verdict: 'pass' | 'fail', { number }: ReportedExchange) => ({
    description: 'animals',
    consumer: 'shop',
    states: [],
    messages: [],
    verdict,
    exchanges: [number],
  });
  const interactions = [interaction('pass', first!), interaction('fail', second!)];
  assert.equal(await answered({ ...trimmed, requirements: [], interactions }), [second!.number]);
});

test.run();
