/** Beside what shows a failure stands what the reference server answers to the same. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { withReferenceAnswers } from '../../command-line/reference-answers.ts';
import type { Report, ReportedExchange } from '../../engine/report.ts';
import { faults } from '../../faults/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../faults/trial.ts';

async function reportOn(fault: string, requests: number): Promise<Report> {
  const { wrap } = faults.find(({ id }) => id === fault)!;
  return runInProcess(wrap(createPetStore({ keys: trialKeys }).handle), trialSettings(requests));
}

function shownBy({ requirements, exchanges }: Report, wanted: string): readonly ReportedExchange[] {
  const [failure] = requirements.find(({ id }) => id === wanted)!.failures;
  return exchanges.filter(({ number }) => failure!.exchanges.includes(number));
}

const trimmed = await reportOn('name-read-trimmed', 60);

test('an animal that a failure rests on is created there too, with its name, and asked for by the id that it has there', async () => {
  const shown = shownBy(await withReferenceAnswers(trimmed), 'pet-name-kept');
  const [creation, read] = [shown[0]!, shown.at(-1)!];
  assert.is(creation.reference?.status, 201);
  const name = JSON.parse(creation.request.body!).name;
  const nameIn = (body: string): string => {
    const animals = [JSON.parse(body)].flat();
    return animals.find((animal) => animal.name.trim() === name.trim()).name;
  };
  assert.is.not(nameIn(read.response!.body), name);
  assert.is(nameIn(read.reference!.body), name);
  assert.is(read.reference!.headers['content-type'], 'application/json');
  assert.not.ok('authorization' in read.reference!.headers);
});

test('nothing else of the report changes, and only what shows a failure is asked', async () => {
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

test('a wrong key gets 401 there, and no key of any server is told', async () => {
  const report = await withReferenceAnswers(await reportOn('wrong-key-answers-403', 60));
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
  const { exchanges } = await withReferenceAnswers({ ...trimmed, requirements: [], interactions });
  assert.equal(
    exchanges.flatMap(({ number, reference }) => (reference === undefined ? [] : [number])),
    [second!.number],
  );
});

test.run();
