/** `explain` and `list`: requirements, client requirements, gaps, failure codes and options. */

import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientRequirements } from '../../../../spec/client-requirements.ts';
import { meaningOf } from '../../../../spec/failure-codes.ts';
import { gaps } from '../../../../spec/gaps.ts';
import { requirements } from '../../../../spec/requirements.ts';
import { faults } from '../../../sections/faults.ts';
import { run } from '../command.ts';

test('a gap is explained with its answers, and one that no request can show with the reason', async () => {
  const [open, hidden] = await Promise.all([run(['explain', 'status-omitted']), run(['explain', 'store-orders'])]);
  assert.is(
    open!.stdout,
    [
      '§2 status-omitted (gap: observed, never judged)',
      'Which status has an animal that was created without one?',
      '',
      'Answers:',
      '  available: It is available. (the reference server)',
      '  pending: It is pending.',
      '  sold: It is sold.',
      '  absent: It has none: the field is absent.',
      '',
    ].join('\n'),
  );
  assert.match(hidden!.stdout, /\n\nThe interface mentions store orders and shows no path for them\.\n$/);
});

test('a client requirement is explained with the services that show it and the faulty clients that prove it', async () => {
  const [ofService, ofRequests] = await Promise.all([
    run(['explain', 'any-list-order']),
    run(['explain', 'client-waits']),
  ]);
  assert.match(
    ofService!.stdout,
    /^§4\.1 any-list-order \(client requirement, required\)\nWorks whatever the answer is: In which/,
  );
  assert.match(ofService!.stdout, /\n {2}list-order: newest-first: In reverse order of creation\.\n/);
  assert.match(ofService!.stdout, /\nProven by 1 faulty client:\n {2}expects-the-oldest-first: It creates/);
  assert.match(ofRequests!.stdout, /\n {2}429 with a long Retry-After: /);
});

test('explain says what a failure code means, and a misspelt id is suggested', async () => {
  const [code, misspelt, none] = await Promise.all(
    ['refused-yet-stored', 'pet-naem-kept', 'toString'].map((id) => run(['explain', id])),
  );
  assert.match(code!.stdout, /^refused-yet-stored \(failure code\)\nA request was refused, but its animal/);
  assert.match(misspelt!.stderr, /^explain knows no "pet-naem-kept"; .* Did you mean pet-name-kept\?\n$/);
  assert.equal([misspelt!.code, none!.code], [2, 2]);
});

test('explain answers for an option by its flag and by its variable', async () => {
  const [flag, bare, variable, negated] = await Promise.all(
    ['--max-wait', 'max-wait', 'PETSTORE_MAX_WAIT', '--no-disposable'].map((id) => run(['explain', id])),
  );
  assert.is(
    flag!.stdout,
    [
      '--max-wait S (option of run, pact verify)',
      'the longest single wait for a rate limit, seconds (default: 75)',
      '',
      'Also set by:',
      '  PETSTORE_MAX_WAIT',
      '  max-wait: in petstore-conformance.config.yaml',
      '',
    ].join('\n'),
  );
  assert.is(bare!.stdout, flag!.stdout);
  assert.is(variable!.stdout, flag!.stdout);
  assert.match(negated!.stdout, /^--disposable \(option of/);
});

test('the faults of a requirement stand behind one another in the width of the terminal', async () => {
  const { stdout } = await run(['explain', 'pet-name-kept'], { COLUMNS: '80' });
  const [, shown = ''] = /\nProven by (?:\d+) faults:\n([\s\S]+)$/.exec(stdout) ?? [];
  const ids = faults.filter(({ breaks }) => breaks[0] === 'pet-name-kept').map(({ id }) => id);
  assert.equal(shown.trim().split(/,\s+/), ids);
  const lines = shown.trimEnd().split('\n');
  assert.ok(lines.length < ids.length && lines.every((one) => /^ {2}\S/.test(one) && one.length <= 80));
});

test('a section is explained with its requirements, its client requirements and its gaps', async () => {
  const [number, sign] = await Promise.all(['4.4', '§4.4'].map((id) => run(['explain', id])));
  assert.is(number!.stdout, sign!.stdout);
  assert.match(number!.stdout, /^§4\.4 Other operations\n\n/);
  const ofClients = clientRequirements.filter(({ id }) => !id.startsWith('any-'));
  for (const { id, section } of [...requirements, ...ofClients, ...gaps]) {
    assert.is(number!.stdout.includes(`\n  ${id}`), section === '4.4', id);
  }
});

test('every failure code of clients is explained', () => {
  const folder = new URL('../../../sections/client-checks/', import.meta.url);
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const found = sources.flatMap((source) => [...source.matchAll(/breaks\(\s*[^,]+,\s*'([a-z0-9-]+)'/g)]);
  const codes = found.map(([, code = '']) => code);
  assert.ok(codes.length > 10);
  assert.equal(
    codes.filter((code) => meaningOf(code) === undefined),
    [],
  );
});

test.run();
