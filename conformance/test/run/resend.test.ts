/** Recorded requests that are sent again: with names and ids of their own, and only with credentials that the run has. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { validKey } from '../../http/credentials.ts';
import { resend } from '../../run/resend.ts';
import { createPet, getPet } from '../../sections/requests.ts';
import { stepOf } from '../../verdict/counterexample.ts';
import { makeName } from '../../world/names.ts';
import { created, exchangesOf, type HandMadeAnswer, page, read, sessionOf } from '../sections/evidence.ts';

const findCredential = () => validKey('some-key');

/** Sends steps again: what was sent, and what is returned. */
async function sentAgain(
  before: readonly HandMadeAnswer[],
  next: readonly HandMadeAnswer[],
  find: (id: string) => ReturnType<typeof validKey> | undefined = findCredential,
) {
  const { session, toCome } = sessionOf([], next);
  const returned = await resend(session, { findCredential: find }, exchangesOf(before).map(stepOf));
  assert.is(toCome.length, 0);
  assert.equal(returned, session.exchanges);
  return returned.map(({ request }) => request);
}

test('a step that is sent again keeps its transfer coding and its media type, and no other header', async () => {
  const headers = { 'transfer-encoding': 'chunked', 'x-other': '1' };
  const chunked = { ...created(1).request, headers };
  const [first, second] = await sentAgain([{ ...created(1), request: chunked }, created(2)], [created(3), created(4)]);
  assert.equal(first!.headers, { 'transfer-encoding': 'chunked', 'content-type': 'application/json' });
  assert.equal(second!.headers, { 'content-type': 'application/json' });
});

test('a request names the id that its animal has now, where the animal was created again', async () => {
  const before = [
    created(1),
    read(1, 404),
    read(5, 404),
    read('1?x=1', 404),
    created(2),
    read(2, 404),
    page('limit=1'),
  ];
  const refused = { ...created(2), status: 400 };
  const next = [created(9), read(9, 404), read(5, 404), read('9?x=1', 404), refused, read(2, 404), page('limit=1')];
  await sentAgain(before, next);
  // Only the start of a target names an animal.
  const elsewhere = { request: { ...getPet('1'), target: '/v2/pets/1' }, status: 404 };
  await sentAgain([created(1), elsewhere], [created(9), elsewhere]);
  await sentAgain([created(1), read('12', 404)], [created(9), read('12', 404)]);
});

test('animals get new names, each name everywhere the same one', async () => {
  const [one, other] = [makeName('abc123', 1), makeName('abc123', 2)];
  const creation = (text: string): HandMadeAnswer => ({ request: { ...createPet({}), body: text }, status: 201 });
  const texts = (first: string, second: string) => [
    creation(`{"x":"${first} ${first}"}`),
    creation(`{"x":"${second} ${first}"}`),
    creation(`{"x":"plain"}`),
  ];
  const { session } = sessionOf([], texts('A', 'B'));
  let names = 0;
  const sent: (string | undefined)[] = [];
  const renaming = {
    ...session,
    newName: () => {
      names += 1;
      return `N${names}`;
    },
    send: async ({ body }: { readonly body?: string }) => {
      sent.push(body);
      return exchangesOf([creation('')])[0]!;
    },
  };
  await resend(renaming, { findCredential }, exchangesOf([...texts(one, other), page('')]).map(stepOf));
  assert.equal(sent, ['{"x":"N1 N1"}', '{"x":"N2 N1"}', '{"x":"plain"}', undefined]);
});

test('nothing is sent from the first request on whose credential the run does not have', async () => {
  const other = {
    ...page(''),
    credential: { ...validKey('other'), shown: { ...validKey('other').shown, id: 'other' } },
  };
  const find = (id: string) => (id === 'api-key' ? findCredential() : undefined);
  assert.is((await sentAgain([page(''), other, page('')], [page('')], find)).length, 1);
});

test.run();
