/** Nothing is left unclaimed: requirements, gaps, checks, faults and imports hold together. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gapChoices } from '../../reference-server/index.ts';
import { type Gap, gaps } from '../../spec/gaps.ts';
import { requirements } from '../../spec/requirements.ts';
import { checks } from '../checks/index.ts';
import { faults } from '../faults/index.ts';

const root = new URL('../..', import.meta.url).pathname;

test('every requirement is judged by an invariant, or says why it cannot be tested', () => {
  const judged = new Set(checks.flatMap((check) => (check.kind === 'invariant' ? check.verifies : [])));
  for (const requirement of requirements) {
    const isUntested = 'untested' in requirement;
    assert.is(judged.has(requirement.id), !isUntested, requirement.id);
  }
});

test('every requirement that is judged has a scenario that gives it evidence, or is borne by every exchange', () => {
  const asked = new Set(checks.flatMap((check) => (check.kind === 'scenario' ? check.verifies : [])));
  const byEveryExchange =
    /^(service-json|pet-|error|auth-valid-key|rate-(limit|remaining|reset|headers)|version-base-address)/;
  for (const { id, ...rest } of requirements) {
    if ('untested' in rest || byEveryExchange.test(id)) continue;
    assert.ok(asked.has(id), id);
  }
});

test('checks verify known requirements only, and ids of checks are unique', () => {
  const known = new Set<string>(requirements.map(({ id }) => id));
  const named = checks.filter((check) => check.kind !== 'observer');
  for (const check of named) for (const id of check.verifies) assert.ok(known.has(id), `${check.id}: ${id}`);
  assert.is(new Set(named.map(({ id }) => id)).size, named.length);
});

test('every gap is observed, or says why it cannot be', () => {
  const observed = new Set<string>(checks.flatMap((check) => (check.kind === 'observer' ? [check.gap] : [])));
  for (const gap of gaps) assert.is(observed.has(gap.id), !('unobservable' in gap), gap.id);
});

test('the reference server can give every answer of every gap, and no other', () => {
  const listed = Object.fromEntries(
    gaps.flatMap((gap) => ('unobservable' in gap ? [] : [[gap.id, Object.keys(gap.answers).sort()]])),
  );
  const given = Object.fromEntries(Object.entries(gapChoices).map(([id, answers]) => [id, [...answers].sort()]));
  assert.equal(given, listed);
});

test('answers that are only observed have ids of their own, and every answer says what it means', () => {
  for (const { id, answers, others = {} } of gaps as readonly Gap[]) {
    for (const [answer, meaning] of Object.entries({ ...answers, ...others })) {
      assert.match(answer, /^[a-z0-9]+(-[a-z0-9]+)*$/, id);
      assert.match(meaning, /^[A-Z0-9].*\.$/, `${id}: ${answer}`);
    }
    assert.equal(
      Object.keys(others).filter((answer) => Object.hasOwn(answers, answer)),
      [],
      id,
    );
  }
});

test('ids of requirements, gaps and faults are unique', () => {
  for (const ids of [requirements, gaps, faults].map((list) => list.map(({ id }) => id as string))) {
    assert.equal(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      [],
    );
  }
});

test('there are 200 faults or more', () => {
  assert.ok(faults.length >= 200, String(faults.length));
});

/** Everything a file imports: values, types, what it loads on demand, and what it passes on. */
function importsOf(file: string): readonly string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const specifiers = source.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g);
  return [...specifiers].map(([, specifier = '']) => specifier);
}

/** The first room of those that a path begins with: the longest one. */
function roomOf(path: string): string {
  return rooms.find((room) => path === room || path.startsWith(`${room}/`)) ?? path;
}

/** Rooms, the inner ones before those that hold them. */
const rooms = [
  'conformance/engine',
  'conformance/checks',
  'conformance/faults',
  'conformance/clients',
  'conformance/reporters',
  'conformance/command-line',
  'conformance/commands',
  'conformance/library',
  'conformance/packaging',
  'conformance',
  'pacts/verify',
  'pacts/lint',
  'pacts/example',
  'pacts',
  'reference-server',
  'spec',
];

/** Room → the rooms that it may import from, beside itself. Node and packages are everybody's, but for the server. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  spec: [],
  // Types of gaps and of openapi.yaml only, as the next test says.
  'reference-server': ['spec'],
  'conformance/engine': ['spec'],
  'conformance/checks': ['spec', 'conformance/engine'],
  'conformance/faults': ['spec', 'conformance/engine', 'conformance/checks', 'reference-server'],
  // Worlds are servers, and what is legal in other ways than the reference server knows stands with the faults.
  'conformance/clients': ['spec', 'conformance/engine', 'conformance/faults', 'reference-server'],
  'conformance/reporters': ['spec', 'conformance/engine'],
  'conformance/command-line': ['spec', 'conformance/engine', 'conformance/checks', 'conformance/reporters'],
  'conformance/commands': [
    'spec',
    'conformance/engine',
    'conformance/checks',
    'conformance/faults',
    'conformance/clients',
    'conformance/reporters',
    'conformance/command-line',
    'pacts',
    'pacts/verify',
    'pacts/lint',
  ],
  'conformance/library': ['spec', 'conformance/engine', 'conformance/reporters', 'conformance/command-line'],
  conformance: [
    'spec',
    'conformance/engine',
    'conformance/checks',
    'conformance/faults',
    'conformance/reporters',
    'conformance/command-line',
    'conformance/commands',
    'conformance/library',
    'pacts',
  ],
  pacts: ['spec'],
  // What is built knows the commit that it is built of.
  'conformance/packaging': ['spec', 'conformance/command-line'],
  'pacts/example': ['spec', 'pacts'],
  // What a recorded request says of a client is judged as that of a client that runs.
  'pacts/lint': ['spec', 'pacts', 'conformance/engine', 'conformance/clients'],
  'pacts/verify': ['spec', 'pacts', 'pacts/lint', 'conformance/engine', 'conformance/checks'],
};

/** What one file may import beyond its room, and why. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // The embedded server is the default target, and answers in process beside what fails.
  'conformance/command-line/target.ts': ['reference-server', 'conformance/faults'],
  // The command loads the faults of the kit when they are asked for; a test below says how little comes with them.
  'reference-server/cli.ts': ['conformance/faults'],
  // The worked consumer is a careful client.
  'conformance/clients/careful/worked-consumer.ts': ['pacts/example'],
  // A pact is read from where a user names it, as every other file.
  'pacts/read-pact.ts': ['conformance/command-line', 'conformance/engine'],
  // It writes what is compiled of the schemas; the golden reports are those of the tests.
  'conformance/generate.ts': ['conformance/packaging', 'conformance/test'],
};

const sources = globSync('{spec,reference-server,conformance,pacts}/**/*.ts', { cwd: root }).filter(
  (file) => !file.includes('/test/'),
);

function targetsOf(file: string): readonly string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => normalize(join(dirname(file), specifier)));
}

test('imports run one way between the rooms, types and what is loaded on demand included', () => {
  for (const file of sources) {
    const room = roomOf(file);
    for (const target of targetsOf(file)) {
      const to = target.startsWith('conformance/test/') ? 'conformance/test' : roomOf(target);
      const allowed = [room, ...(mayImport[room] ?? []), ...(exceptions[file] ?? [])];
      assert.ok(allowed.includes(to), `${file} imports ${target}`);
    }
  }
});

test('the server runs on node alone, and one file opens sockets for the kit', () => {
  for (const file of sources) {
    const source = readFileSync(join(root, file), 'utf8');
    for (const [, names = '', specifier = ''] of source.matchAll(
      /^(?:import|export)\s+([^;]*?)\s*from\s+'([^']+)'/gms,
    )) {
      if (specifier === 'node-fetch') assert.is(file, 'conformance/engine/transport.ts');
      if (!file.startsWith('reference-server/')) continue;
      const isOwn = specifier.startsWith('./') || specifier.startsWith('node:');
      assert.ok(isOwn || names.startsWith('type '), `${file} imports ${specifier}`);
    }
  }
});

/** A file, and all that is loaded with it. */
function loadedWith(first: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const visit = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    targetsOf(file).forEach(visit);
  };
  visit(first);
  return loaded;
}

test('faults carry no part of the kit with them but its reading of JSON, which needs nothing', () => {
  const loaded = loadedWith('conformance/faults/index.ts');
  for (const file of loaded) {
    assert.ok(
      /^(conformance\/faults|reference-server|spec)\//.test(file) || file === 'conformance/engine/evidence/json.ts',
      file,
    );
    assert.equal(
      importsOf(file).filter((specifier) => !/^(\.|node:)/.test(specifier)),
      [],
      file,
    );
  }
  assert.equal(importsOf('conformance/engine/evidence/json.ts'), []);
});

test('the server is loaded without a part of the kit', () => {
  for (const file of loadedWith('reference-server/index.ts')) assert.ok(/^(reference-server|spec)\//.test(file), file);
});

test('what a consumer loads is small: of the kit nothing, and the description once', () => {
  for (const file of loadedWith('pacts/index.ts')) assert.ok(/^(pacts|spec)\//.test(file), file);
  const readers = sources.filter((file) => /new URL\('[^']*openapi\.yaml/.test(readFileSync(join(root, file), 'utf8')));
  assert.equal(
    readers.filter((file) => file !== 'conformance/generate.ts'),
    ['spec/description.ts'],
  );
});

test('no file imports itself by way of others', () => {
  const state = new Map<string, 'open' | 'done'>();
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    assert.is.not(state.get(file), 'open', [...path, file].join(' → '));
    state.set(file, 'open');
    for (const target of targetsOf(file)) visit(target, [...path, file]);
    state.set(file, 'done');
  };
  for (const file of sources) visit(file, []);
});

test.run();
