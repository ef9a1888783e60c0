/** getPet may be removed from the moment at which the day of removal begins in the earliest time zone. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runInProcess, trialSettings } from '../../../proof/trial.ts';
import { handleOf } from '../../../proof/variants/index.ts';
import { changeAnswer, errorAnswer } from '../../../sections/fault.ts';

const gone = changeAnswer((answer, { operation, isAuthorized }) =>
  operation === 'getPet' && isAuthorized ? errorAnswer(410, answer) : undefined,
);

async function verdictsOn(today: number): Promise<readonly (string | undefined)[]> {
  const report = await runInProcess(gone(handleOf({ id: 'gone' })), trialSettings(60, { today }));
  return (['get-answer', 'get-until-removal'] as const).map(
    (id) => report.requirements.find((one) => one.id === id)?.verdict,
  );
}

test('getPet is judged until 5 December 2030 begins in the earliest time zone', async () => {
  assert.equal(await verdictsOn(Date.UTC(2030, 11, 4, 10) - 1), ['inconclusive', 'fail']);
  assert.equal(await verdictsOn(Date.UTC(2030, 11, 4, 10)), ['not-applicable', 'not-applicable']);
  assert.equal(await verdictsOn(Date.UTC(2030, 11, 5, 12)), ['not-applicable', 'not-applicable']);
});

test.run();
