/** What ids mean: requirements, open questions and codes of failures; and lists of them for programs. */

import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientRequirements } from '../../../../spec/client-requirements.ts';
import { meaningOf } from '../../../../spec/failure-codes.ts';
import { gaps } from '../../../../spec/gaps.ts';
import { requirements } from '../../../../spec/requirements.ts';
import { run } from '../command.ts';

test('an open question is told with its answers, and one that no request can show with why', async () => {
  const [open, hidden] = await Promise.all([run(['explain', 'status-omitted']), run(['explain', 'store-orders'])]);
  assert.is(
    open!.stdout,
    [
      '§2 status-omitted (left open, never judged)',
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

test('a client requirement is told with the services that show it and the careless clients that prove it', async () => {
  const [ofService, ofRequests] = await Promise.all([
    run(['explain', 'any-list-order']),
    run(['explain', 'client-waits']),
  ]);
  assert.match(
    ofService!.stdout,
    /^§4\.1 any-list-order \(of clients, required\)\nWorks whatever the answer is: In which/,
  );
  assert.match(ofService!.stdout, /\n {2}list-order: newest-first: In reverse order of creation\.\n/);
  assert.match(ofService!.stdout, /\nProven by 1 careless client:\n {2}takes-the-first-for-the-oldest: It creates/);
  assert.match(ofRequests!.stdout, /\n {2}nothing differs: requests show it\n/);
});

test('explain says what a failure code means, and a misspelt id is suggested', async () => {
  const [code, misspelt, none] = await Promise.all(
    ['refused-yet-stored', 'pet-naem-kept', 'toString'].map((id) => run(['explain', id])),
  );
  assert.match(code!.stdout, /^refused-yet-stored \(failure code\)\nA request was refused, but its animal/);
  assert.match(misspelt!.stderr, /not "pet-naem-kept"; .* Did you mean pet-name-kept\?\n$/);
  assert.equal([misspelt!.code, none!.code], [2, 2]);
});

test('every code of what a client breaks is explained', () => {
  const folder = new URL('../../../clients/checks/', import.meta.url);
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const found = sources.flatMap((source) => [...source.matchAll(/breaks\(\s*[^,]+,\s*'([a-z0-9-]+)'/g)]);
  const codes = found.map(([, code = '']) => code);
  assert.ok(codes.length > 10);
  assert.equal(
    codes.filter((code) => meaningOf(code) === undefined),
    [],
  );
});

test('programs get requirements and gaps with all that is known of them', async () => {
  const { stdout } = await run(['list', '--json']);
  assert.equal(
    JSON.parse(stdout),
    JSON.parse(JSON.stringify({ requirements, gaps, clientRequirements: clientRequirements })),
  );
});

test.run();
