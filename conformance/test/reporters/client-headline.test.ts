/** The headline of a report on a client. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientHeadline } from '../../reporters/headline.ts';
import type { ReportedRequirement } from '../../verdict/report.ts';

function headline(worksWith: number, reliesOn: number, failing: readonly object[]): string {
  const requirements = failing.map(
    (one) => ({ id: 'client-id-exact', verdict: 'fail', ...one }) as ReportedRequirement,
  );
  return clientHeadline({ requirements }, { command: [], services: [], worksWith, ranWith: 100, reliesOn });
}

test('the headline says with how many services the client works, what it relies on, and what it breaks', () => {
  assert.is(headline(100, 0, []), 'Works with 100 of 100 legal services');
  assert.is(
    headline(97, 2, [{}, { id: 'any-json' }, { id: 'any-list-order' }]),
    'Works with 97 of 100 legal services; relies on 2 answers; 1 requirement broken',
  );
});

test('requests that were recorded ran with no service, so the headline claims none', () => {
  const client = { command: [], services: [], worksWith: 0, ranWith: 0, reliesOn: 0 };
  assert.is(clientHeadline({ requirements: [] }, client), 'Recorded requests break no requirement');
  const broken = { id: 'client-id-exact', verdict: 'fail' } as ReportedRequirement;
  assert.is(clientHeadline({ requirements: [broken] }, client), 'Recorded requests break 1 requirement');
});

test('a waived failure is not broken, and is said', () => {
  assert.is(
    headline(99, 1, [{ waiver: { state: 'waived' } }]),
    'Works with 99 of 100 legal services; relies on 1 answer; 1 waived',
  );
});

test.run();
