/** The log has one line for each request, and nothing in it comes from a client unescaped. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BrokenConnection, type Handle } from '../../index.ts';
import { createLog } from '../../twin/log.ts';
import { askHandle, noon, type Question } from '../client.ts';

function linesOf(questions: readonly Question[], keys: readonly string[] = []): readonly string[] {
  const lines: string[] = [];
  const handle: Handle = ({ method }) => {
    if (method === 'BREAK') throw new BrokenConnection();
    return { status: 200, headers: {}, body: '' };
  };
  const logged = createLog(keys, '/v1', (line) => lines.push(line))(handle);
  for (const question of questions) {
    try {
      askHandle(logged, question, noon);
    } catch (error) {
      assert.instance(error, BrokenConnection);
    }
  }
  return lines.map((line) => line.replace('2026-11-21T12:00:00.000Z ', ''));
}

test('a line has the time, the status, the method and the target', () => {
  assert.equal(linesOf([{ target: '/v1/pets?limit=5&status=sold' }, { method: 'BREAK' }, { target: '/elsewhere' }]), [
    '200 GET /pets?limit=5&status=sold',
    'reset BREAK /pets',
    '200 GET ../elsewhere',
  ]);
});

test('a line has no key, in whatever form, and no value of an unknown parameter', () => {
  const key = 'secret+of/the=test';
  const forms = [key, encodeURIComponent(key), Buffer.from(key).toString('base64')];
  const lines = linesOf(
    forms.flatMap((form) => [{ target: `/v1/pets/${form}` }, { target: `/v1/pets?api_key=${form}&status=sold` }]),
    [key],
  );
  for (const line of lines) assert.not.match(line, /secret|c2VjcmV0/);
  assert.is(lines[1], '200 GET /pets?api_key=...&status=sold');
});

test('a line is one line of printable ASCII, and short', () => {
  const hostile = '/v1/\u001b[2J\r\n200 GET /pets\u0085\u2028\u202e\u0000';
  const [line, long] = linesOf([{ target: hostile }, { target: `/v1/${'x'.repeat(10_000)}`, method: 'A\nB' }]);
  assert.is(line, '200 GET /\\u{1b}[2J\\u{d}\\u{a}200 GET /pets\\u{85}\\u{2028}\\u{202e}\\u{0}');
  assert.ok(long!.length < 250);
});

test.run();
