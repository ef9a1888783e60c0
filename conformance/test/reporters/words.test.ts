/** The words that reporters share: headline, tally, remarks and leftovers. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirementsInWords } from '../../reporters/counts.ts';
import { exchangeLines } from '../../reporters/evidence.ts';
import { headlineOf, toneOf } from '../../reporters/headline.ts';
import { reporters } from '../../reporters/index.ts';
import type { ReporterName } from '../../reporters/names.ts';
import { leftoversInWords, remarksOn } from '../../reporters/words.ts';
import { countVerdicts } from '../../verdict/counts.ts';
import type { Report, ReportedRequirement } from '../../verdict/report.ts';
import { sampleReport } from './sample-report.ts';

const [pass] = sampleReport.requirements;
const [_creation, listing] = sampleReport.exchanges;

test('one animal is left behind, or several, or none', () => {
  const [animal] = sampleReport.created;
  assert.equal(leftoversInWords({ ...sampleReport, created: [animal!] }), [
    'The run leaves 1 animal behind, since the interface cannot delete any.',
  ]);
  assert.match(leftoversInWords(sampleReport)[0]!, /^The run leaves 2 animals behind,/);
  assert.equal(leftoversInWords({ ...sampleReport, created: [] }), []);
  const unreadable = Array.from({ length: 7 }, (_nothing, at) => ({ name: `cf-${at}` }));
  assert.is(
    leftoversInWords({ ...sampleReport, created: [animal!, ...unreadable] })[1],
    'The 201 of 7 shows no id: "cf-0", "cf-1", "cf-2", "cf-3", "cf-4" and 2 more.',
  );
});

test('several errors of the kit are counted', () => {
  const requirements = sampleReport.requirements.map((one) => ({ ...one, verdict: 'error' }) as const);
  assert.is(requirementsInWords({ requirements }), '12 requirements: 12 errors of the kit (1 waived).');
});

test('there is no remark on a requirement that passes without a waiver', () => {
  assert.equal(remarksOn(pass!), []);
});

test('headers are shown by their whole name', () => {
  const headers = { 'x-content-type': 'a', location: 'b', 'location-x': 'c', 'x-ratelimit-window': 'd' };
  const exchange = { ...listing!, response: { status: 201, headers, body: '' } };
  assert.is(exchangeLines(exchange)[1], '< 201  location: b  x-ratelimit-window: d');
});

/** A requirement with a verdict; a waived one has a waiver that holds. */
function requirement(id: string, verdict: string, isWaived = false): ReportedRequirement {
  const waiver = { reason: 'r', owner: 'o', expires: '2030-01-01', state: 'waived' };
  return { ...pass!, id, verdict, ...(isWaived && { waiver }) } as ReportedRequirement;
}

function sourceOf(verdict: Report['verdict'], ...requirements: readonly ReportedRequirement[]) {
  return { verdict, counts: countVerdicts(requirements), requirements };
}

test('the headline claims no more than was judged', () => {
  const passed = requirement('list-answer', 'pass');
  const skipped = requirement('rate-exceeded', 'skipped');
  const failed = requirement('pet-id', 'fail');
  assert.is(headlineOf(sourceOf('conforms', passed, skipped)), 'Conforms (1 of 2 requirements pass)');
  assert.is(headlineOf(sourceOf('does-not-conform', passed, failed)), 'Does not conform (1 of 2 requirements fail)');
  assert.is(headlineOf(sourceOf('inconclusive', passed, skipped)), 'Could not judge (1 of 2 requirements judged)');
  assert.is(headlineOf(sourceOf('inconclusive', skipped)), 'Could not judge (nothing was judged)');
});

/** `json` is the report itself. */
const namesWithHeadline = (Object.keys(reporters) as readonly ReporterName[]).filter((name) => name !== 'json');

test('waived failures stand in the verdict, and make it amber', () => {
  const waived = requirement('pet-id', 'fail', true);
  const one = sourceOf('conforms', pass!, waived);
  assert.is(headlineOf(one), 'Conforms with 1 waived failure (1 of 2 pass)');
  assert.is(headlineOf(sourceOf('conforms', waived, waived)), 'Conforms with 2 waived failures (0 of 2 pass)');
  assert.is(toneOf(one), 'waived');
  assert.is(toneOf(sourceOf('conforms', pass!, requirement('pet-id', 'warn', true))), 'pass');
  const broken = sourceOf('does-not-conform', requirement('list-answer', 'fail'), waived);
  assert.is(headlineOf(broken), 'Does not conform (1 of 2 requirements fail, 1 more waived)');
  const report = { ...sampleReport, ...one, interactions: [] };
  for (const name of namesWithHeadline) {
    assert.match(reporters[name](report), /conforms with 1 waived failure/i, name);
  }
  assert.match(reporters.html(report), '<header class="waived">');
});

test('limits of a run stand in the line of its verdict', () => {
  const { settings } = sampleReport;
  const only = { ...sourceOf('conforms', pass!), settings: { ...settings, only: ['pet-id'] as const } };
  assert.is(headlineOf(only), 'Conforms (1 of 1 requirements pass; 1 of 53 requirements, --only)');
  const again = { ...only, settings: { ...only.settings, isLastFailed: true } };
  assert.is(headlineOf(again), 'Conforms (1 of 1 requirements pass; 1 of 53 requirements, --last-failed)');
  const interactions = sampleReport.interactions ?? [];
  assert.is(
    headlineOf({ ...sourceOf('conforms', pass!), interactions }),
    'Conforms (1 of 1 requirements pass; pact verify: 1 of 4 interactions hold)',
  );
  const failed = sourceOf('does-not-conform', requirement('pet-id', 'fail'));
  assert.is(
    headlineOf({ ...failed, reason: 'The run was interrupted.' }),
    'Does not conform (1 of 1 requirements fail; interrupted)',
  );
  assert.match(headlineOf({ ...failed, reason: 'The deadline of 5 s has passed.' }), /; ended by the deadline\)$/);
});

test('the embedded server is named with the verdict by every reporter with a headline', () => {
  const report = { ...sampleReport, target: { ...sampleReport.target, isEmbedded: true as const } };
  for (const name of namesWithHeadline) {
    assert.match(reporters[name](report), /embedded (reference )?server/, name);
  }
});

test('a client has a headline of its own', () => {
  const client = { command: ['npm', 'test'], worksWith: 2, ranWith: 3, reliesOn: 1, services: [] };
  const broken = sourceOf(
    'does-not-conform',
    requirement('any-list-order', 'fail'),
    requirement('client-waits', 'fail'),
  );
  assert.is(
    headlineOf({ ...broken, client }),
    'Works with 2 of 3 legal services; relies on 1 answer; 1 requirement broken',
  );
  assert.is(
    headlineOf({ ...sourceOf('conforms', pass!), client: { ...client, worksWith: 3, reliesOn: 0 } }),
    'Works with 3 of 3 legal services',
  );
});

test.run();
