/** A target that lists 16,000 animals of its own, 10 MB, whatever limit is asked for: long-pages.ts KEY */

import { createPetStore, listen, type StoreRequest } from '../../../reference-server/index.ts';
import { announce } from '../../../reference-server/test/benchmark/announce.ts';

const [, , key = ''] = process.argv;
const name = 'An animal with a long name. '.repeat(20);
const { handle } = createPetStore({ keys: [{ key, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }] });
const animals = Array.from({ length: 16_000 }, (_nothing, at) =>
  JSON.stringify({ id: 1_000_000 + at, name, categoryId: 1, status: 'available' }),
);
const page = `[${animals.join(',')}]`;

function answer(request: StoreRequest, now: number) {
  const answered = handle(request, now);
  const isPage = request.method === 'GET' && answered.status === 200 && answered.body.startsWith('[');
  return isPage ? { ...answered, body: page } : answered;
}

announce((await listen(answer, { port: 0 })).url);
