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
  const byEveryExchange = /^(service-json|pet-|error|auth-valid-key|rate-(limit|remaining|reset)|version-base-address)/;
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

/** Run-time imports of a file: specifiers, without those that are types only. */
function importsOf(file: string): readonly string[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from\s+'([^']+)'/gms)].map(
    (match) => match[1] ?? '',
  );
}

function folderOf(file: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier;
  return normalize(join(dirname(file), specifier)).split('/')[0] ?? '';
}

test('imports run one way: spec, then conformance, then the command; the server imports node and itself only', () => {
  const sources = globSync('{spec,reference-server,conformance,pacts}/**/*.ts', { cwd: root }).filter(
    (file) => !file.includes('/test/'),
  );
  for (const file of sources) {
    for (const specifier of importsOf(file)) {
      const from = file.split('/')[0];
      const to = folderOf(file, specifier);
      const where = `${file} imports ${specifier}`;
      // One file reads the description; all others hold plain values.
      if (from === 'spec' && file !== 'spec/description.ts') assert.is(to, 'spec', where);
      if (from === 'reference-server') assert.ok(to === 'reference-server' || to.startsWith('node:'), where);
      const mayServe = file === 'conformance/command-line/target.ts' || file.startsWith('conformance/faults/');
      if (from === 'conformance' && to === 'reference-server') assert.ok(mayServe, where);
      if (from === 'pacts') assert.is.not(to, 'reference-server', where);
      // What consumers load is small.
      if (/^pacts\/(index|expectations|mock-service|library|matchers|states)\.ts$/.test(file))
        assert.is.not(to, 'conformance', where);
      // The table of provider states in the documentation is generated from them.
      if (from === 'conformance' && file !== 'conformance/generate.ts') assert.is.not(to, 'pacts', where);
      if (to === 'node-fetch') assert.is(file, 'conformance/engine/transport.ts', where);
    }
  }
});

test.run();
