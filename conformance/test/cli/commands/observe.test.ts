/** `observe` judges recorded traffic and sends nothing. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../../reference-server/index.ts';
import { observeTraffic } from '../../../cli/observe-archives.ts';
import { faults } from '../../../faults/index.ts';
import { trialKeys } from '../../../proof/trial.ts';
import { handleOf, services } from '../../../services/index.ts';
import { keysOfTrials } from '../../../services/wraps.ts';
import type { CapturedExchange } from '../../../traffic/captured-exchange.ts';
import { reasonInWords } from '../../../verdict/reasons.ts';
import type { Report } from '../../../verdict/report.ts';
import { seen, trafficOf } from '../../seen.ts';
import { invoke, readReport, run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const recorded = new URL('chromium.har', import.meta.url).pathname;
const { values } = await invoke('observe', ['a.har']);
const baseUrl = 'http://in-process/v1';

function judge(traffic: readonly CapturedExchange[], options: Partial<typeof values> = {}): Report {
  return observeTraffic(traffic, { ...values, ...options }, { baseUrl });
}

/** The code of the first failure of each requirement that fails. */
function broken({ requirements }: Report): Readonly<Record<string, string>> {
  return Object.fromEntries(requirements.flatMap(({ id, failures: [first] }) => (first ? [[id, first.code]] : [])));
}

function verdictOf({ requirements }: Report, wanted: string): string | undefined {
  return requirements.find(({ id }) => id === wanted)?.verdict;
}

test('an archive of Chromium using the reference server conforms, and the report has no key', async () => {
  const file = join(folder, 'observed.json');
  const { code, stdout, stderr } = await run(['observe', recorded, '--reporter', `json=${file}`]);
  assert.is(code, 0, stdout + stderr);
  assert.is(stderr, '12 recorded exchanges; left out: 2 to other addresses.\n');
  const report = readReport(file);
  assert.match(report.target.baseUrl, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  assert.equal(report.created, []);
  for (const id of [
    'pet-category-id-kept',
    'auth-missing-key',
    'create-required-fields',
    'list-status-filter',
    'list-complete',
  ])
    assert.is(verdictOf(report, id), 'pass', id);
  assert.is(verdictOf(report, 'rate-exceeded'), 'inconclusive');
  const text = readFileSync(file, 'utf8');
  assert.match(readFileSync(recorded, 'utf8'), 'chromium-page-key-4711');
  assert.not.match(text, 'chromium-page-key');
  // The report is readable like that of a run.
  assert.is((await run(['report', file])).code, 0);
});

test('an archive says how many of its exchanges lack a body, and that it has no keys', async () => {
  const file = join(folder, 'bodiless.har');
  const archive = JSON.parse(readFileSync(recorded, 'utf8'));
  for (const { request, response } of archive.log.entries) {
    delete response.content.text;
    request.headers = [{ name: 'Host', value: 'host' }];
  }
  writeFileSync(file, JSON.stringify(archive));
  const { code, stderr } = await run(['observe', file]);
  assert.is(code, 3);
  assert.match(stderr, '12 recorded exchanges, 12 of them without the whole body of the response; left out: 2');
  assert.match(stderr, 'An archive shows no key: ');
});

test('the same archive with a digit removed from an answer does not conform', async () => {
  const file = join(folder, 'rounded.har');
  const entries = JSON.parse(readFileSync(recorded, 'utf8'));
  for (const { response } of entries.log.entries)
    response.content.text = response.content.text.replace('9007199254740993', '9007199254740992');
  writeFileSync(file, JSON.stringify(entries));
  const { code, stdout } = await run(['observe', file]);
  assert.is(code, 1);
  assert.match(stdout, 'expected categoryId 9007199254740993 in the 201, received 9007199254740992');
});

test('the traffic of a server with other legal choices does not fail, with keys or cleaned', async () => {
  // Every eleventh, since each of them is a run of its own, and those whose record leaves out what was refused.
  for (const variant of services.filter(({ id }, at) => at % 11 === 0 || /unknown-parts-(text|page)/.test(id))) {
    const traffic = await trafficOf(handleOf(variant), variant);
    const cleaned = traffic.map((one) => ({ ...one, headers: {}, isCleaned: true as const }));
    // A recording of which more than two requests have no answer shows too little of its target; large bodies may be reset.
    const isLost = ({ response, body = '' }: CapturedExchange): boolean =>
      response === undefined && body.length <= 4_096;
    const unanswered = traffic.filter(isLost).length;
    const usual = unanswered > 2 ? 3 : 0;
    // What ends a run early may leave enough in its traffic.
    const expected: readonly number[] = variant.exitCode === undefined ? [usual] : [variant.exitCode, 0];
    const { exitCode } = judge(traffic);
    assert.ok(expected.includes(exitCode), `${variant.id}: ${exitCode}`);
    assert.not.equal([variant.id, judge(cleaned).exitCode], [variant.id, 1]);
  }
});

test('faults are found in the traffic of faulty servers', async () => {
  const ids = ['body-html-with-404', 'id-text-on-listPets', 'missing-key-answers-403', 'name-read-trimmed'];
  const found = await Promise.all(
    faults
      .filter(({ id }) => ids.includes(id))
      .map(async ({ id, wrap, breaks }) => {
        const failing = broken(judge(await trafficOf(wrap(createPetStore({ keys: trialKeys }).handle, keysOfTrials))));
        return breaks.some((requirement) => failing[requirement] !== undefined) ? id : '';
      }),
  );
  assert.equal(found.sort(), ids);
});

const rex = { id: 1, name: 'Rex', categoryId: 7 };
const error = { code: 'x', message: 'y', status: 404 };

test('requirements that traffic does not show are inconclusive; a missing core requirement ends with 3, unless --only names others', async () => {
  const listing = [seen(1, 'GET /pets', 200, [rex])];
  const report = judge(listing);
  assert.is(report.exitCode, 3);
  assert.match(reasonInWords(report.reason) ?? '', 'create-answer could not be judged');
  assert.is(verdictOf(report, 'rate-exceeded'), 'inconclusive');
  assert.match(reasonInWords(judge([]).reason) ?? '', 'The traffic holds no exchange below the base address');
});

test('getPet is judged by the day of the traffic, not by that of the judge', async () => {
  const late = seen(1, 'GET /pets/1', 404, error, {
    startedAt: Date.UTC(2031, 0, 1),
    endedAt: Date.UTC(2031, 0, 1, 1),
  });
  assert.is(verdictOf(judge([late]), 'get-until-removal'), 'not-applicable');
  assert.is(verdictOf(judge([{ ...late, startedAt: 1, endedAt: 2 }]), 'get-until-removal'), 'inconclusive');
});

test('the report has the counts and times of the traffic', async () => {
  const creation = seen(9, 'POST /pets', 201, rex, { sent: { name: 'Rex', categoryId: 7 } });
  const { requests, creates, startedAt, durationMs } = judge([seen(2, 'GET /pets', 200, []), creation]);
  assert.equal([requests, creates, startedAt, durationMs], [2, 1, '2026-11-21T12:00:02.000Z', 7_010]);
});

test.run();
