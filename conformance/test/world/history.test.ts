/** Which animals a run knows of: those that an answer has revealed. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { trialSettings } from '../../proof/trial.ts';
import { isKnownBefore, readHistory } from '../../world/history.ts';
import { exchangeOf } from '../run/hand-made.ts';

const body = '{"id":5,"name":"Rex","categoryId":1}';
const read = (number: number) =>
  exchangeOf(number, {
    operation: 'getPet',
    request: { method: 'GET', target: '/pets/5', headers: {} },
    response: { status: 200, headers: {}, body },
  });

test('a page makes its animals known to the requests after it, a read does not: its client knew the id', () => {
  const page = exchangeOf(3, { response: { status: 200, headers: {}, body: `[${body}]` } });
  const exchanges = [read(1), read(2), page, read(4)];
  const history = readHistory(exchanges, trialSettings(60));
  assert.equal(
    exchanges.map((exchange) => isKnownBefore(history, exchange, 5n)),
    [false, false, false, true],
  );
});

test.run();
