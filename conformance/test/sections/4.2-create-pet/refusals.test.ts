/** A refusal of a valid body fails only if nothing that the interface leaves open explains it. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeJson } from '../../../http/json.ts';
import { whyNothingIsCreated } from '../../../sections/4.2-create-pet/refusals.ts';
import { createPet, createPetFrom } from '../../../sections/requests.ts';
import { categories, names, refusing, roomFor, uniqueNames } from '../../../services/creations.ts';
import {
  answerError,
  changeCreation,
  errorAnswer,
  keysOfTrials,
  layers,
  quotaOf,
  refuseBodies,
  sentBody,
  sentPet,
  type Wrap,
} from '../../../services/wraps.ts';
import { type Bench, createBench } from '../bench.ts';

type Step = 'accepted' | 'sold' | 'spaced' | 'elsewhere' | 'hard';

/** Sends plain animals, of which `sold` and `spaced` differ from `accepted` in what the interface fixes. */
async function sendSteps({ session }: Bench, ...steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    const plain = { name: session.newName(), categoryId: 1n, status: 'available' };
    const bodies: Readonly<Record<Step, string>> = {
      accepted: writeJson(plain),
      sold: writeJson({ ...plain, status: 'sold' }),
      spaced: writeJson(plain).replaceAll(':', ': '),
      elsewhere: writeJson({ ...plain, categoryId: 2n, status: 'sold' }),
      hard: writeJson({ ...plain, name: `${plain.name} 🦄`, status: 'sold' }),
    };
    await session.send(createPetFrom(bodies[step]));
  }
}

function refusingIf(matches: (body: string) => boolean, status = 400): Wrap {
  return changeCreation((answer, call) => (matches(sentBody(call)) ? errorAnswer(status, answer) : undefined));
}

const refusesSold = refusingIf((body) => body.includes('"sold"'), 422);

async function failuresOf(wrap: Wrap, ...steps: readonly Step[]): Promise<readonly string[]> {
  const bench = createBench({ wrap });
  await sendSteps(bench, ...steps);
  return bench.failures('create-answer');
}

/** Answers so where a creation is refused with 400. */
function refusesWith(status: number): Wrap {
  return (handle) => (request, now) => {
    const answer = handle(request, now);
    return request.method === 'POST' && answer.status === 400 ? errorAnswer(status, answer) : answer;
  };
}

test('a status that is refused twice while another is accepted fails', async () => {
  assert.equal(await failuresOf(refusesSold, 'accepted', 'sold', 'accepted', 'sold'), [
    'expected 201 as for a body that differs only in the status sold, received 422',
  ]);
});

test('another writing of the same body that is refused twice fails', async () => {
  const wrap = refusingIf((body) => body.includes(': '));
  assert.equal(await failuresOf(wrap, 'accepted', 'spaced', 'spaced', 'accepted'), [
    'expected 201 as for a body that differs only in the way its JSON is written and sent, received 400',
  ]);
});

test('a single refusal, or one without similar accepted creations before and after, proves nothing', async () => {
  assert.equal(await failuresOf(refusesSold, 'accepted', 'sold', 'accepted'), []);
  assert.equal(await failuresOf(refusesSold, 'sold', 'sold', 'accepted'), []);
  assert.equal(await failuresOf(refusesSold, 'accepted', 'sold', 'sold'), []);
});

test('a refusal of a name that an earlier animal has proves nothing, since names may have to be unique', async () => {
  const { session, failures } = createBench({ wrap: uniqueNames(409) });
  const name = session.newName();
  const send = (status: string, other = name) => session.send(createPet({ name: other, categoryId: 1n, status }));
  await send('available');
  for (let sent = 0; sent < 2; sent += 1) {
    await send('sold');
    await send('available', session.newName());
  }
  assert.equal(failures('create-answer'), []);
});

test('a refusal of a body that is accepted at another time proves nothing, since a store may be full for a while', async () => {
  let count = 0;
  const wrap = refusingIf((body) => body.includes('"sold"') && ++count % 3 !== 0);
  assert.equal(await failuresOf(wrap, 'accepted', 'sold', 'sold', 'sold', 'accepted'), []);
});

test('another category and a hard name may be refused, whatever else is accepted', async () => {
  const wrap = refusingIf((body) => /"categoryId":2|🦄/u.test(body), 409);
  assert.equal(
    await failuresOf(wrap, 'accepted', 'elsewhere', 'hard', 'accepted', 'elsewhere', 'hard', 'accepted'),
    [],
  );
});

test('an answer that is neither 201 nor a refusal fails at once, whatever the name', async () => {
  for (const status of [200, 202, 302, 500]) {
    const wrap = refusingIf((body) => body.includes('🦄'), status);
    assert.equal(await failuresOf(wrap, 'hard'), [
      `expected 201 or a refusal (4xx) to a valid body, received ${status}`,
    ]);
  }
});

test('an invalid body must be refused with 400 if the rest of it is accepted; otherwise any refusal is legal', async () => {
  const invalid = { name: 'cf-abc123-77', categoryId: 1n, status: 'gone' };
  const send = async (wrap: Wrap, ...steps: readonly Step[]): Promise<readonly string[]> => {
    const bench = createBench({ wrap });
    await sendSteps(bench, ...steps);
    await bench.session.send(createPet(invalid));
    return bench.failures('create-invalid-values');
  };
  const answers422 = refusesWith(422);
  const message = 'expected 400 to the status "gone", which is no PetStatus, received 422';
  assert.equal(await send(answers422, 'accepted'), [message]);
  assert.equal(await send(answers422), []);
  assert.equal(
    await send((handle) => answers422(categories(400, 2n)(handle, keysOfTrials), keysOfTrials), 'elsewhere'),
    [],
  );
  assert.equal(await send((handle) => answers422(names(400, /🦄/u)(handle, keysOfTrials), keysOfTrials), 'hard'), []);
});

test('a large body may be refused with any status, a small one only with 400', async () => {
  const bench = createBench({ wrap: refusesWith(413) });
  await sendSteps(bench, 'accepted');
  await bench.session.send(createPetFrom(`[${'1,'.repeat(2_100)}1]`));
  await bench.session.send(createPetFrom(`[${'1,'.repeat(200)}1]`));
  assert.equal(bench.failures('create-malformed-body'), []);
  await bench.session.send(createPetFrom('[1]'));
  assert.equal(bench.failures('create-malformed-body'), [
    'expected 400 to the body [1], which is no object, received 413',
  ]);
});

test('a body of more than 4 KiB may be refused with any 4xx, and no smaller one', async () => {
  const bench = createBench({ wrap: refusesWith(422) });
  await sendSteps(bench, 'accepted');
  await bench.session.send(createPetFrom(`[${'1,'.repeat(2_048)}1]`));
  assert.equal(bench.failures('create-malformed-body'), []);
  await bench.session.send(createPetFrom(`[${'1,'.repeat(2_046)}10]`));
  const shown = `[${'1,'.repeat(58)}...`;
  assert.equal(bench.failures('create-malformed-body'), [
    `expected 400 to the body ${shown}, which is no object, received 422`,
  ]);
});

test('if nothing is created, the reason quotes the target and names the option that helps', async () => {
  for (const [wrap, reason] of [
    [
      names(422, /^$/, 'A name has at most 3 letters.'),
      /the plainest with 422 "A name has .*letters\.": describe the names that it accepts with --name TEMPLATE/,
    ],
    [categories(404), /with 404 "There is no such category\.": give a category that it knows with --category-id$/],
    [
      refusing(409, () => 'No.'),
      /with 409 "No\.": give a category .* --category-id, or describe .* with --name TEMPLATE/,
    ],
    [refusing(403, () => 'Not for this key.'), /with 403 "Not for this key\.": .*--read-only/],
    [refusing(400, () => 'x'.repeat(500)), /400 "x{160}…"/],
    [roomFor(0), /409 "The store is full\."/],
  ] as const) {
    const bench = createBench({ wrap });
    await sendSteps(bench, 'accepted', 'sold');
    assert.match(whyNothingIsCreated(bench.session) ?? '', reason);
  }
});

/** Invalid bodies by a letter. */
const invalidBodies: Readonly<Record<string, string>> = {
  x: '{"categoryId":1}',
  c: '{"name":"NAME"}',
  // A body that is cut, and one whose answer is open.
  m: '{"name":',
  o: '\ufeff{"categoryId":1}',
};

/** The failures of creations: `v` is a valid one, other letters are invalid bodies. */
async function failuresOfBodies(wrap: Wrap, bodies: string): Promise<readonly string[]> {
  const bench = createBench({ wrap });
  for (const body of bodies) {
    if (body === 'v') await sendSteps(bench, 'accepted');
    else await bench.session.send(createPetFrom(invalidBodies[body]!.replace('NAME', bench.session.newName())));
  }
  return bench.failures('create-required-fields');
}

test('where nothing is read once a quota of creations is used up, no body can be called invalid', async () => {
  for (const bodies of ['vvxvx', 'vvxxv', 'vvvx']) assert.equal(await failuresOfBodies(quotaOf(2, 403), bodies), []);
  const message = 'expected 400 to a body without name, received 403';
  // Nothing shows that the quota is used up, or a body was read in between.
  assert.equal(await failuresOfBodies(quotaOf(2, 403), 'vvx'), [message]);
  const unlisted = layers(
    quotaOf(2, 403),
    answerError(403, (_call, { status }) => status === 400),
  );
  assert.equal(await failuresOfBodies(unlisted, 'vxvxv'), [message]);
  assert.equal(
    await failuresOfBodies(
      answerError(422, (_call, { status }) => status === 400),
      'vxv',
    ),
    [message.replace('403', '422')],
  );
});

test('a quota of creations may be looked at once a part of the body is read', async () => {
  const wrap = quotaOf(2, 403, (call) => typeof sentPet(call)['name'] === 'string');
  for (const bodies of ['vvcmv', 'vvmcxov', 'vvvxmoc']) assert.equal(await failuresOfBodies(wrap, bodies), []);
  // A valid body is refused, too, but animals are created in between.
  let count = 0;
  const never = refuseBodies((call) => {
    const { name, categoryId } = sentPet(call);
    if (typeof name === 'string') count += 1;
    return typeof name === 'string' && (categoryId === undefined || count % 3 === 0);
  }, 403);
  const message = 'expected 400 to a body without categoryId, received 403';
  assert.equal(await failuresOfBodies(never, 'vvcmvvv'), [message]);
});

test('if one animal was created, no reason is given', async () => {
  const bench = createBench({ wrap: roomFor(1) });
  assert.is(whyNothingIsCreated(bench.session), undefined);
  await sendSteps(bench, 'accepted', 'accepted');
  assert.is(whyNothingIsCreated(bench.session), undefined);
});

test.run();
