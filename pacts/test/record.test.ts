/** Consumers record: their requests must match, and the pact claims only what the interface states. */

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPacts } from '../../conformance/cli/read-pacts.ts';
import { temporaryFolder as folder } from '../../conformance/test/cli/command.ts';
import { type MockService, type PetStorePact, petStorePact } from '../index.ts';

const committed = readFileSync(new URL('../adoption-site-pet-store.json', import.meta.url), 'utf8');

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function rejects(work: Promise<unknown>, message: RegExp): Promise<void> {
  const error: unknown = await work.then(
    () => undefined,
    (reason) => reason,
  );
  assert.match(String((error as Error).message), message);
}

for (const [file, name, passed] of [
  ['with-uvu.ts', 'adoption-site', /Passed:\s+3/],
  ['with-node-test.ts', 'adoption-site-in-node-test', /pass 1/],
] as const) {
  test(`${file} passes and records its pact, also a second time`, async () => {
    const env = { ...process.env, PACT_FOLDER: folder() };
    const example = new URL(`../example/${file}`, import.meta.url).pathname;
    for (const _time of [1, 2]) {
      const { stdout } = await promisify(execFile)(process.execPath, [example], { env });
      assert.match(stdout, passed);
      const recorded = readFileSync(join(env.PACT_FOLDER, `${name}-pet-store.json`), 'utf8');
      if (name === 'adoption-site') assert.is(recorded, committed);
      else assert.match(recorded, /"the animal 7"/);
    }
  });
}

test("the client's result is returned, and is as the interface describes", async () => {
  const pact = petStorePact({ consumer: 'reader', folder: folder() });
  const pets = await pact.listPets({ status: 'sold' }).test(async ({ baseUrl }) => {
    const response = await fetch(`${baseUrl}/pets?status=sold`, { headers: { authorization: 'Bearer k' } });
    assert.match(response.headers.get('x-ratelimit-remaining') ?? '', /^\d+$/);
    return (await response.json()) as { status: string }[];
  });
  assert.equal(
    pets.map(({ status }) => status),
    ['sold'],
  );
});

const withKey = { headers: { authorization: 'Bearer k' } };

function create(baseUrl: string, pet: object): Promise<Response> {
  const headers = { ...withKey.headers, 'content-type': 'application/json' };
  return fetch(`${baseUrl}/pets`, { method: 'POST', headers, body: JSON.stringify(pet) });
}

const pet = { name: 'Rex', categoryId: 1 };
const asks =
  (path: string, options: RequestInit = withKey) =>
  ({ baseUrl }: MockService) =>
    fetch(baseUrl + path, options);

/** The mistake of a wrong client → what it sends. */
const wrong: Readonly<Record<string, (pact: PetStorePact) => Promise<unknown>>> = {
  'another path': (pact) => pact.getPet(7).test(asks('/pets/8')),
  'no key': (pact) => pact.getPet(7).test(asks('/pets/7', {})),
  'another query': (pact) => pact.listPets({ limit: 5 }).test(asks('/pets?limit=6')),
  'another body': (pact) => pact.createPet(pet).test(({ baseUrl }) => create(baseUrl, { ...pet, name: 'Max' })),
  'a key to a path that is not shown': (pact) => pact.withoutKey().test(asks('/orders')),
  'nothing at all': (pact) => pact.listPets().test(() => Promise.resolve()),
};

for (const [what, use] of Object.entries(wrong)) {
  test(`a client that sends ${what} gets an error, and nothing is recorded`, async () => {
    const into = folder();
    await rejects(use(petStorePact({ consumer: 'wrong', folder: into })), /./);
    assert.equal(readdirSync(into), []);
  });
}

test('an interaction without a key rejects a client that sends one, and is not recorded', async () => {
  const into = folder();
  const pact = petStorePact({ consumer: 'teller', folder: into });
  const sending = pact.withoutKey({ limit: 5 }).test(async ({ baseUrl }) => {
    await fetch(`${baseUrl}/pets?limit=5`, withKey);
    return fetch(`${baseUrl}/pets?limit=5`);
  });
  await rejects(sending, /^expected a request without an Authorization header, received one with it: .* \(§5\)$/);
  assert.equal(readdirSync(into), []);
});

test('an interaction without a key records that the header is absent, and the client gets the unchanged answer', async () => {
  const into = folder();
  const port = await freePort();
  const pact = petStorePact({ consumer: 'keyless', folder: into, port });
  const answer = await pact.withoutKey({ limit: 5 }).test(async ({ baseUrl }) => {
    assert.is(baseUrl, `http://127.0.0.1:${port}`);
    const response = await fetch(`${baseUrl}/pets?limit=5`);
    return { status: response.status, type: response.headers.get('content-type'), body: await response.json() };
  });
  assert.equal(answer, {
    status: 401,
    type: 'application/json',
    body: { code: 'some_code', message: 'some message', status: 401 },
  });
  await pact.getPet(7).test(({ baseUrl }) => {
    assert.is(baseUrl, `http://127.0.0.1:${port}`);
    return fetch(`${baseUrl}/pets/7`, withKey);
  });
  const {
    pacts: [recorded],
  } = await readPacts([into]);
  assert.equal(
    recorded?.interactions.map(({ isWithoutKey }) => isWithoutKey),
    [true, false],
  );
  assert.match(readFileSync(join(into, 'keyless-pet-store.json'), 'utf8'), /"absentHeaders": "Authorization"/);
});

test("a client that throws rejects the interaction with the client's error", async () => {
  const asking = petStorePact({ consumer: 'thrower', folder: folder() }).getPet(7);
  const broken = async (service: MockService) => {
    await asks('/pets/7')(service);
    throw new Error('the client broke');
  };
  await rejects(asking.test(broken), /the client broke/);
});

test('concurrent interactions run one after the other, and a failed one is not recorded', async () => {
  const into = folder();
  const pact = petStorePact({ consumer: 'parallel', folder: into });
  const asked = [1, 2, 3, 4].map((id) => pact.getPet(id).test(asks(`/pets/${id === 3 ? 999 : id}`)));
  const settled = await Promise.allSettled(asked);
  assert.equal(
    settled.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  const text = readFileSync(join(into, 'parallel-pet-store.json'), 'utf8');
  assert.equal(
    [1, 2, 3, 4].filter((id) => text.includes(`the animal ${id}"`)),
    [1, 2, 4],
  );
});

test('the mock server answers with the requested and sent values', async () => {
  const pact = petStorePact({ consumer: 'mocked', folder: folder() });
  const read = await pact.getPet(12).test(async ({ baseUrl }) => (await fetch(`${baseUrl}/pets/12`, withKey)).json());
  assert.is((read as { id: number }).id, 12);
  const pet = { name: 'Żółw', categoryId: 9, status: 'sold' } as const;
  const created = await pact.createPet(pet).test(async ({ baseUrl }) => (await create(baseUrl, pet)).json());
  const { id, ...rest } = created as { id: number };
  assert.equal(rest, pet);
});

test('every kind of refused body can be recorded', async () => {
  const pact = petStorePact({ consumer: 'refused', folder: folder() });
  for (const body of ['text', 5, null, [], { name: 1 }]) {
    const { status } = await pact.createPetRefused(body).test(({ baseUrl }) => create(baseUrl, body as never));
    assert.is(status, 400);
  }
});

test('an interaction that the interface does not have is a TypeError that shows what was received', () => {
  const pact = petStorePact({ consumer: 'mistaken', folder: folder() });
  for (const limit of [1, 100]) pact.listPets({ limit });
  for (const ask of [
    () => pact.listPets({ limit: 0 }),
    () => pact.listPets({ limit: 101 }),
    () => pact.listPets({ status: 'lost' as never }),
    () => pact.createPet({ name: 'Rex', categoryId: 1.5 }),
    () => pact.createPetRefused({ name: 'Rex', categoryId: 1 }),
    () => pact.createPetRefused(undefined),
    () => pact.getPet(2 ** 70),
    () => pact.getPet(7n as never),
    () => pact.createPet({ name: 'Rex', categoryId: 2n ** 60n } as never),
    () => petStorePact({ consumer: '../out', folder: folder() }),
    () => petStorePact({ folder: folder() } as never),
  ]) {
    assert.throws(ask, (error: Error) => error instanceof TypeError && /^expected .*, received ./.test(error.message));
  }
});

test("Pact's library does not report its use", () => {
  assert.is(process.env['PACT_DO_NOT_TRACK'], 'true');
});

test.run();
