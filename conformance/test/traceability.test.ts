/** Nothing is left unclaimed: requirements, gaps, checks, faults and imports hold together. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gapChoices } from '../../reference-server/twin/gaps.ts';
import { gaps } from '../../spec/gaps.ts';
import { requirements } from '../../spec/requirements.ts';
import { faults } from '../faults/index.ts';
import { checks } from '../sections/index.ts';

const root = new URL('../..', import.meta.url).pathname;

test('every requirement is judged by an invariant, or says why it cannot be tested', () => {
  const judged = new Set(checks.flatMap((check) => ('judge' in check ? check.verifies : [])));
  for (const requirement of requirements) {
    const isUntested = 'untested' in requirement;
    assert.is(judged.has(requirement.id), !isUntested, requirement.id);
  }
});

test('every requirement that is judged has probes that give it evidence, or is borne by every exchange', () => {
  const asked = new Set(checks.flatMap((check) => ('run' in check || 'probes' in check ? check.verifies : [])));
  const byEveryExchange =
    /^(service-json|pet-|error|auth-valid-key|rate-(limit|remaining|reset|headers)|version-base-address)/;
  for (const { id, ...rest } of requirements) {
    if ('untested' in rest || byEveryExchange.test(id)) continue;
    assert.ok(asked.has(id), id);
  }
});

test('checks verify known requirements only, and ids of checks are unique', () => {
  const known = new Set<string>(requirements.map(({ id }) => id));
  const named = checks.flatMap((check) => ('verifies' in check ? [check] : []));
  for (const check of named) for (const id of check.verifies) assert.ok(known.has(id), `${check.id}: ${id}`);
  assert.is(new Set(named.map(({ id }) => id)).size, named.length);
});

test('every gap is observed, or says why it cannot be', () => {
  const observed = new Set<string>(checks.flatMap((check) => ('observe' in check ? [check.gap] : [])));
  for (const gap of gaps) assert.is(observed.has(gap.id), !('unobservable' in gap), gap.id);
});

test('the reference server can give every answer of every gap, and no other', () => {
  const listed = Object.fromEntries(
    gaps.flatMap((gap) => ('unobservable' in gap ? [] : [[gap.id, Object.keys(gap.answers).sort()]])),
  );
  const given = Object.fromEntries(Object.entries(gapChoices).map(([id, answers]) => [id, [...answers].sort()]));
  assert.equal(given, listed);
});

test('answers that are only observed have ids of their own, and every answer has a meaning', () => {
  for (const { id, answers, others = {} } of gaps) {
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
  'conformance/http',
  'conformance/verdict',
  'conformance/world',
  'conformance/run',
  'conformance/sections',
  'conformance/traffic',
  'conformance/services',
  'conformance/faults',
  'conformance/proof',
  'conformance/clients',
  'conformance/reporters',
  'conformance/options',
  'conformance/cli',
  'conformance/library',
  'conformance/packaging',
  'conformance/ci',
  'conformance',
  'pacts/verify',
  'pacts/lint',
  'pacts/example',
  'pacts',
  'reference-server/twin',
  'reference-server',
  'spec',
];

const judging = ['spec', 'conformance/http', 'conformance/world', 'conformance/verdict'];

/** Room → the rooms that it may import from, besides itself. Node and packages are open to all but the server. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  spec: [],
  'reference-server': [],
  // The redactor is the kit's.
  'reference-server/twin': ['spec', 'reference-server', 'conformance/http'],
  'conformance/http': ['spec'],
  'conformance/world': ['spec', 'conformance/http'],
  'conformance/verdict': ['spec', 'conformance/http', 'conformance/world'],
  'conformance/run': judging,
  'conformance/sections': [...judging, 'conformance/run'],
  'conformance/traffic': [...judging, 'conformance/run', 'conformance/sections'],
  // A legal service and a fault wrap the reference server.
  'conformance/services': [...judging, 'conformance/run', 'reference-server', 'reference-server/twin'],
  'conformance/faults': ['spec', 'conformance/http', 'conformance/services', 'reference-server'],
  'conformance/proof': [
    ...judging,
    'conformance/run',
    'conformance/sections',
    'conformance/services',
    'conformance/faults',
    'reference-server',
    'reference-server/twin',
  ],
  'conformance/clients': [
    ...judging,
    'conformance/services',
    'conformance/proof',
    'conformance/sections',
    'reference-server',
    'reference-server/twin',
  ],
  // A reporter knows the report alone.
  'conformance/reporters': ['spec', 'conformance/verdict'],
  'conformance/ci': ['conformance/verdict'],
  'conformance/options': [
    'spec',
    'conformance/http',
    'conformance/verdict',
    'conformance/run',
    'conformance/reporters',
  ],
  'conformance/cli': [
    'conformance/options',
    ...judging,
    'conformance/run',
    'conformance/sections',
    'conformance/traffic',
    'conformance/services',
    'conformance/faults',
    'conformance/proof',
    'conformance/clients',
    'conformance/reporters',
    'conformance/ci',
    'pacts',
    'pacts/verify',
    'pacts/lint',
  ],
  // The kit for programs prints nothing, so it takes nothing of the command.
  'conformance/library': [
    ...judging,
    'conformance/run',
    'conformance/sections',
    'conformance/reporters',
    'conformance/options',
  ],
  // The command.
  conformance: ['conformance/cli', 'conformance/run'],
  pacts: ['spec'],
  'conformance/packaging': ['spec', 'conformance/ci', 'conformance/options'],
  'pacts/example': ['spec', 'pacts'],
  'pacts/verify': [...judging, 'pacts', 'conformance/run', 'conformance/sections'],
  // A pact is verified against the legal services, and a recorded request judged like that of a client that runs.
  'pacts/lint': [
    ...judging,
    'pacts',
    'pacts/verify',
    'conformance/run',
    'conformance/clients',
    'conformance/traffic',
    'conformance/services',
    'conformance/proof',
    'conformance/sections',
  ],
};

/** What one file may import beyond its room, and why. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // The one door to a run: it knows the suite.
  'conformance/run/judge.ts': ['conformance/sections'],
  // The embedded server is the default target.
  'conformance/run/target.ts': ['reference-server', 'conformance/sections', 'conformance/services'],
  // It says that a run was shorter than by default.
  'conformance/reporters/summary.ts': ['conformance/world'],
  // It lays bodies out without losing a digit.
  'conformance/reporters/excerpt.ts': ['conformance/http'],
  // Its waivers end after so many days.
  'conformance/reporters/waivers.ts': ['conformance/http'],
  // The suite for uvu is configured like the command.
  'conformance/cli/uvu.suite.ts': ['conformance/library'],
  // The command of the twin, with the faults of the kit.
  'conformance/cli/petstore-server.ts': ['reference-server/twin'],
  'conformance/cli/services.ts': ['reference-server/twin'],
  'conformance/cli/commands/client.ts': ['reference-server/twin'],
  // It writes the outcome of the self-test; the golden reports are those of the tests.
  'conformance/packaging/generate.ts': ['conformance/proof', 'conformance/test', 'pacts'],
};

const sources = globSync('{spec,reference-server,conformance,pacts}/**/*.ts', { cwd: root }).filter(
  (file) => !file.includes('/test/'),
);

function targetsOf(file: string): readonly string[] {
  return importsOf(file)
    .filter((specifier) => specifier.startsWith('.') && !specifier.endsWith('.json'))
    .map((specifier) => normalize(join(dirname(file), specifier)));
}

test('imports run one way between the rooms, types and dynamic imports included', () => {
  for (const file of sources) {
    const room = roomOf(file);
    for (const target of targetsOf(file)) {
      const to = target.startsWith('conformance/test/') ? 'conformance/test' : roomOf(target);
      const allowed = [room, ...(mayImport[room] ?? []), ...(exceptions[file] ?? [])];
      assert.ok(allowed.includes(to), `${file} imports ${target}`);
    }
  }
});

/** The core of the server: what the folder itself holds. */
const core = sources.filter((file) => roomOf(file) === 'reference-server');

test('the server runs on node alone, and its core on nothing else', () => {
  for (const file of sources.filter((each) => each.startsWith('reference-server/'))) {
    const isAllowed = core.includes(file) ? /^(node:|\.\/)/ : /^(node:|\.\.?\/)/;
    for (const specifier of importsOf(file)) assert.match(specifier, isAllowed, `${file} imports ${specifier}`);
  }
});

test('the core of the server is read in one sitting: six files and 400 lines at most', () => {
  const lines = core.flatMap((file) => readFileSync(join(root, file), 'utf8').trimEnd().split('\n'));
  assert.ok(core.length <= 6, core.join(', '));
  assert.ok(lines.length <= 400, `${lines.length} lines`);
});

test('one file of the kit sends requests with node-fetch', () => {
  const senders = sources.filter((file) => importsOf(file).includes('node-fetch'));
  assert.equal(senders, ['conformance/http/transport.ts']);
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

/** Files of the kit that import nothing. */
const leaves = ['conformance/http/json.ts', 'conformance/http/tolerances.ts'];

test('faults load nothing of the kit but its JSON reader and its time constants, which import nothing', () => {
  const loaded = loadedWith('conformance/faults/index.ts');
  for (const file of loaded) {
    assert.ok(/^(conformance\/(faults|services)|reference-server|spec)\//.test(file) || leaves.includes(file), file);
    assert.equal(
      importsOf(file).filter((specifier) => !/^(\.|node:)/.test(specifier)),
      [],
      file,
    );
  }
  for (const leaf of leaves) assert.equal(importsOf(leaf), []);
});

test('the server and its command are loaded without a part of the kit but its redactor', () => {
  for (const file of ['index', 'cli'].flatMap((name) => [...loadedWith(`reference-server/twin/${name}.ts`)])) {
    assert.ok(/^(reference-server|spec|conformance\/http)\//.test(file), file);
  }
});

test('a consumer loads nothing of the kit, and the description once', () => {
  for (const file of loadedWith('pacts/index.ts')) assert.ok(/^(pacts|spec)\//.test(file), file);
  const readers = sources.filter((file) => /new URL\('[^']*openapi\.yaml/.test(readFileSync(join(root, file), 'utf8')));
  assert.equal(
    readers.filter((file) => file !== 'conformance/packaging/generate.ts'),
    ['spec/description.ts'],
  );
});

test('no file imports itself through others', () => {
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
