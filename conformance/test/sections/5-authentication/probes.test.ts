/** §5: which credentials a run sends, to which operations, and where the real key goes. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../http/exchange.ts';
import { credentialQueue } from '../../../sections/5-authentication/probes.ts';
import { changes, apiKey as faultKey, keysOfTrials, type Wrap, withKey } from '../../../services/wraps.ts';
import { judged } from '../../run/bench.ts';

/** What a run sends to a server. */
const sentTo = async (wrap: Wrap, most = 300, isDisposable = true): Promise<readonly Exchange[]> =>
  (await judged({ wrap }, most, { isDisposable })).exchanges;

const idsOf = (exchanges: readonly Exchange[]): readonly string[] => exchanges.map(({ credential }) => credential.id);

const sent = await sentTo((handle) => handle);

test('no credential is sent to one operation twice in one way, and none that is odd with another mistake', () => {
  const rows = credentialQueue.map(([, ...row]) => row.join(' '));
  assert.is(new Set(rows).size, rows.length);
  const odd = credentialQueue.filter(([, id]) => ['sql-quote', 'star', 'very-long'].includes(id));
  assert.ok(odd.length > 0 && odd.every(([, , , rest]) => rest === 'valid'));
  // Each operation receives the likeliest ones within the usual budget.
  for (const likely of ['elsewhere', 'basic-user-and-password', 'without-scheme', 'last-character-missing']) {
    const within = credentialQueue.filter(([rank, id]) => id === likely && rank <= 5);
    assert.is(new Set(within.map(([, , operation]) => operation)).size, 3, likely);
  }
  for (const id of ['case-exchanged', 'lower-case', 'lower-case-bearer']) {
    const operations = sent.filter(({ credential }) => credential.id === id).map(({ operation }) => operation);
    assert.equal([...new Set(operations)], ['listPets'], id);
  }
});

test('what accepts a key elsewhere is asked the same without any', async () => {
  const open: Wrap = changes.request((request) => withKey(request, keysOfTrials.api));
  const created = (await sentTo(open, 30)).filter(({ credential: { id } }) => id === 'elsewhere' || id === 'none');
  const [all, without] = created.filter(({ operation }) => operation === 'createPet');
  assert.equal([all?.response?.status, without?.credential.id, without?.response?.status], [201, 'none', 201]);
  // Each creates under a name of its own.
  assert.is.not(all!.request.body, without!.request.body);
});

test('only a disposable target receives the real key outside the Authorization header', async () => {
  const leaks: string[] = [];
  const watched = changes.answer((answer, { request, text }) => {
    const { authorization: _sent, ...others } = Object.fromEntries(request.headers);
    if (JSON.stringify([request.target, others, text]).includes(faultKey)) leaks.push(request.target);
    return answer;
  });
  const shared = idsOf(await sentTo(watched, 700, false));
  assert.equal(leaks, []);
  assert.not.ok(shared.some((id) => id.startsWith('elsewhere')));
  assert.ok(idsOf(sent).includes('elsewhere'));
  await sentTo(watched, 60);
  assert.ok(leaks.length > 0);
});

test.run();
