/** Nothing is left unclaimed: requirements, gaps, checks, faults and imports hold together. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { gapChoices } from '../../reference-server/twin/gaps.ts';
import { gaps } from '../../spec/gaps.ts';
import { levelOf, requirements } from '../../spec/requirements.ts';
import explanations from '../cli/explanations.json' with { type: 'json' };
import { faults } from '../faults/index.ts';
import { checks } from '../sections/index.ts';

const root = new URL('../..', import.meta.url).pathname;

test('every requirement has a judge and an explanation, or says why it cannot be tested', () => {
  const judged = new Set(checks.flatMap((check) => ('judge' in check ? check.verifies : [])));
  const explained = new Set(explanations.flatMap(({ mistakes }) => Object.keys(mistakes)));
  for (const requirement of requirements) {
    const isUntested = 'untested' in requirement;
    assert.is(judged.has(requirement.id), !isUntested, requirement.id);
    assert.is(explained.has(requirement.id), !isUntested, requirement.id);
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

test('every check that sends or judges names requirements, each once', () => {
  const known = new Set<string>(requirements.map(({ id }) => id));
  for (const check of checks) {
    if (!('verifies' in check)) continue;
    assert.is(new Set(check.verifies).size, check.verifies.length, check.id);
    assert.ok(check.verifies.length > 0 && check.verifies.every((id) => known.has(id)), check.id);
  }
});

test('every requirement has a fault that breaks it, an advised one two or more', () => {
  for (const { id, ...one } of requirements) {
    if ('untested' in one) continue;
    const [first, second] = faults.filter(({ breaks }) => breaks[0] === id);
    assert.ok(first !== undefined && (levelOf(first.breaks[0]) === 'required' || second !== undefined), id);
  }
});

test('every gap is observed, or says why it cannot be', () => {
  const observed = new Set<string>(checks.flatMap((check) => ('observe' in check ? [check.gap] : [])));
  for (const gap of gaps) assert.is(observed.has(gap.id), !('unobservable' in gap), gap.id);
});

test('the reference server can give every answer of every gap, and no other', () => {
  for (const { id, answers } of gaps) assert.equal(gapChoices[id] ?? [], Object.keys(answers), id);
});

test('ids of requirements, gaps, answers, faults and checks are unique words with hyphens', () => {
  const named = checks.filter((check) => 'verifies' in check);
  const answers = gaps.map((gap) => [gap.answers, gap.others ?? {}].flatMap(Object.keys));
  for (const ids of [...[requirements, gaps, faults, named].map((list) => list.map(({ id }) => `${id}`)), ...answers]) {
    assert.equal(
      ids.filter((id, at) => ids.indexOf(id) !== at),
      [],
    );
    for (const id of ids) assert.match(id, /^[\w.]+(-[\w.]+)*$/, id);
  }
});

/** Everything a file imports: values, types, what it loads on demand, and what it passes on. */
function importsOf(file: string): readonly string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const specifiers = source.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g);
  return [...specifiers].map(([, specifier = '']) => specifier);
}

/** The rooms, each of which may import from itself and from those before it. */
const rooms = [
  'spec',
  'pacts',
  'pacts/example',
  'conformance/http',
  'conformance/world',
  'conformance/verdict',
  'conformance/reporters',
  'conformance/ci',
  'conformance/run',
  'conformance/options',
  'conformance/sections',
  // The judge does not know the server; legal services and faults wrap it.
  'conformance/library',
  'conformance/traffic',
  'pacts/verify',
  'reference-server',
  'reference-server/twin',
  'conformance/services',
  'conformance/faults',
  'conformance/proof',
  'conformance/clients',
  'pacts/lint',
  'conformance/cli',
  'conformance/test',
  'conformance/packaging',
  'conformance',
];

/** Rooms that may import less than stands before them: a consumer and a program load no more than they need. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'reference-server': [],
  'reference-server/twin': ['spec', 'reference-server', 'conformance/http', 'conformance/options'],
  'conformance/http': ['spec'],
  'conformance/world': ['spec', 'conformance/http'],
  'conformance/faults': [
    'spec',
    'conformance/http',
    'conformance/options',
    'conformance/services',
    'reference-server',
    'reference-server/twin',
  ],
  conformance: ['conformance/cli', 'conformance/library'],
};

/** The inner rooms before those that hold them. */
const innerFirst = rooms.toSorted((one, other) => other.length - one.length);

function roomOf(path: string): string {
  return innerFirst.find((room) => path === room || path.startsWith(`${room}/`)) ?? path;
}

/** What one file may import beyond its room, and why. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // The one door to a run: it knows the suite, and the embedded server is the default target.
  'conformance/run/judge.ts': ['conformance/sections', 'reference-server', 'conformance/services'],
  // Verifying and linting read pacts; a consumer does not.
  'pacts/pact.ts': ['conformance/http'],
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
      const before = mayImport[room] ?? rooms.slice(0, rooms.indexOf(room));
      const allowed = [room, ...before, ...(exceptions[file] ?? [])];
      assert.ok(allowed.includes(roomOf(target)), `${file} imports ${target}`);
    }
  }
});

/** Names that are declared in several files, and why. Everywhere else one name means one thing. */
const declaredAgain: ReadonlySet<string> = new Set([
  // The reference server imports nothing, so it says again what `spec/` says.
  'Plan',
  'PetStatus',
  'petStatuses',
  'isPetStatus',
  'readNewPet',
  // The pacts publish types of their own, and the example is a consumer's.
  'NewPet',
]);

/** The names that a file declares at its top level. */
function namesIn(file: string): readonly string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const declaration =
    /^(?:export )?(?:declare )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
  const names = [...source.matchAll(declaration)].map(([, name = '']) => name);
  // Stryker declares helpers such as stryNS_9fa48 in each file that it breaks.
  return names.filter((name) => !/^stry[A-Z]\w*_/.test(name));
}

test('a name is declared in one file, so that it means one thing', () => {
  const files = new Map<string, Set<string>>();
  for (const file of sources.filter((each) => each !== 'spec/openapi.ts'))
    for (const name of namesIn(file)) files.set(name, (files.get(name) ?? new Set()).add(file));
  const again = [...files].filter(([, holders]) => holders.size > 1);
  const unexpected = again.filter(([name]) => !declaredAgain.has(name));
  assert.equal(
    unexpected.map(([name, holders]) => `${name}: ${[...holders].join(', ')}`),
    [],
  );
  // An exception that is needed no more goes.
  assert.equal(new Set(again.map(([name]) => name)), declaredAgain);
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
