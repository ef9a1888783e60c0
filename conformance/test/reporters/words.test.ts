/** What reporters say in the same words: one of a thing and several, and what there is nothing of. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirementsInWords } from '../../reporters/counts.ts';
import { exchangeLines } from '../../reporters/evidence.ts';
import { headlineOf, verdictWords } from '../../reporters/headline.ts';
import { leftoversInWords, remarksOn } from '../../reporters/words.ts';
import { countVerdicts } from '../../verdict/counts.ts';
import type { ReportedRequirement } from '../../verdict/report.ts';
import { sampleReport } from './sample-report.ts';

const [pass] = sampleReport.requirements;
const [_creation, listing] = sampleReport.exchanges;

test('each verdict of a run has words', () => {
  assert.equal(verdictWords, {
    conforms: 'Conforms',
    'does-not-conform': 'Does not conform',
    inconclusive: 'Could not judge',
  });
});

test('one animal is left behind, or several, or none', () => {
  const [animal] = sampleReport.created;
  assert.equal(leftoversInWords({ ...sampleReport, created: [animal!] }), [
    'It left 1 animal behind; nothing can be deleted through the interface.',
  ]);
  assert.match(leftoversInWords(sampleReport)[0]!, /^It left 2 animals behind;/);
  assert.equal(leftoversInWords({ ...sampleReport, created: [] }), []);
});

test('several errors of the kit are told as such', () => {
  const requirements = sampleReport.requirements.map((one) => ({ ...one, verdict: 'error' }) as const);
  const counts = countVerdicts(requirements);
  assert.is(counts.error, 12);
  assert.match(
    requirementsInWords({ requirements, counts }),
    /, 12 errors of the kit: 12 requirements, 0 of them judged\.$/,
  );
});

test('there is nothing to remark on a requirement that passes without a waiver', () => {
  assert.equal(remarksOn(pass!), []);
});

test('headers are shown by their whole name', () => {
  const headers = { 'x-content-type': 'a', location: 'b', 'location-x': 'c', 'x-ratelimit-window': 'd' };
  const exchange = { ...listing!, response: { status: 201, headers, body: '' } };
  assert.is(exchangeLines(exchange)[1], '< 201  location: b  x-ratelimit-window: d');
});

test('the headline claims what was judged, and says why not the rest', () => {
  const requirement = (id: string, verdict: string) => ({ ...pass!, id, verdict }) as ReportedRequirement;
  const requirements = [
    requirement('list-answer', 'pass'),
    requirement('rate-exceeded', 'skipped'),
    requirement('rate-recovery', 'skipped'),
    requirement('rate-limit-plan', 'skipped'),
    requirement('list-limit-default', 'inconclusive'),
    requirement('service-staging-paths', 'not-applicable'),
  ];
  const rest =
    '5 not judged: 2 need a second key, 1 needs --plan, 1 was shown by no answer, 1 can be shown by no request';
  const counts = countVerdicts(requirements);
  assert.is(headlineOf({ verdict: 'conforms', counts, requirements }), `Conforms in 1 of 6 requirements; ${rest}`);
  assert.is(
    headlineOf({ verdict: 'inconclusive', counts, requirements }),
    `Could not judge, 1 of 6 requirements judged; ${rest}`,
  );
  assert.is(headlineOf({ verdict: 'does-not-conform', counts, requirements }), `Does not conform; ${rest}`);
  assert.is(
    headlineOf({
      verdict: 'conforms',
      counts: countVerdicts(requirements.slice(0, 1)),
      requirements: requirements.slice(0, 1),
    }),
    'Conforms in 1 of 1 requirements',
  );
});

test.run();
