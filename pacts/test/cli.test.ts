/** pact verify and pact lint as a user runs them: real servers, exit codes, and no key in any output. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { run, temporaryFolder, testCalls } from '../../conformance/test/cli/command.ts';
import { startOtherServer } from '../../conformance/test/other-server.ts';
import type { Report } from '../../conformance/verdict/report.ts';

const folder = temporaryFolder();
const recordedFile = new URL('../adoption-site-pet-store.json', import.meta.url).pathname;

/** The arguments for reporters that write a file each, and the files. */
function writing(name: string, formats: string) {
  const files = formats.split(' ').map((format) => [format, join(folder, `${name}-${format}`)] as const);
  const textOf = (format: string): string => readFileSync(join(folder, `${name}-${format}`), 'utf8');
  return { textOf, reporters: files.flatMap(([format, file]) => ['--reporter', `${format}=${file}`]) };
}

const verify = ['pact', 'verify', '--pact', recordedFile, '--reporter', 'terminal'];

test('without a base address the embedded server is verified', async () => {
  const { reporters, textOf } = writing('good', 'json');
  const { code, stdout } = await run([...verify, ...reporters]);
  assert.is(code, 0, stdout);
  assert.match(stdout, /8 of 8 interactions hold/);
  assert.match(stdout, /The run leaves \d+ animals behind/);
  const report = JSON.parse(textOf('json')) as Report;
  // Two animals of states, one that the filter must leave out, and one creation of the consumer.
  assert.is(report.creates, 4);
});

test('a target that breaks an interaction ends with 1, and every reporter names it, and no key', async () => {
  const { baseUrl, key } = await startOtherServer({
    breaks: (answer) => {
      if (answer.status === 404) answer.body = '{}';
    },
  });
  const formats = 'junit github markdown html';
  const { reporters, textOf } = writing('broken', formats);
  const { code, stdout, stderr } = await run([...verify, baseUrl, ...reporters], { PETSTORE_API_KEY: key });
  assert.is(code, 1);
  for (const text of [stdout, stderr, ...formats.split(' ').map(textOf)]) assert.not.ok(text.includes(key));
  assert.match(stdout, /set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted/);
  assert.match(stdout, /✗ FAIL {2}adoption-site: the animal 404, which is unknown/);
  assert.match(stdout, /✗ FAIL {2}§2 error-code/);
  for (const name of ['markdown', 'html']) assert.match(textOf(name), /the animal 404, which is unknown/);
  assert.match(textOf('junit'), /<failure type="interaction"/);
  assert.match(textOf('github'), /^::error title=adoption-site%3A the animal 404/m);
});

const evil = 'evil\x1b[2J\u202e\n::set-output name=x::y\r\n##[error]x';
const isHarmless = /^(?!.*([\x1b\r\u202e]|##\[|(^|\n)\s*::set-output)).*evil/s;
const withMessage = (description: string, name = 'a') =>
  JSON.stringify({ consumer: { name }, interactions: [{ type: 'Asynchronous/Messages', description }] });
const hostile = { 'hostile.json': withMessage(evil, evil) };
const wrong = { 'wrong.json': '{"consumer":' };
const claiming = { 'claiming.json': withMessage('an event') };
const claim = /claiming\.json: "an event" cannot be verified: it is a message, .* \[not-verifiable\]\n/;

const versioned = ['pact', 'verify', '--pact', recordedFile, '--provider-version', '1'];
const secret = 'http://me:pass-word@127.0.0.1:9/pact?token=sesame';
const isSecretHidden =
  /^(?!.*(pass-word|sesame))The pact \S+ cannot be read: name a file or a folder, or its broker in /m;

testCalls(
  [
    { words: 'pact verify --pact hostile.json', code: 3, stdout: [isHarmless], files: hostile },
    { words: 'pact lint hostile.json', code: 1, stdout: [isHarmless] },
    {
      words: ['pact', 'lint', recordedFile],
      code: 0,
      stdout: [/pet-store\.json: claims only what the interface states\n/],
    },
    { words: 'pact lint claiming.json', code: 1, stdout: [claim], files: claiming },
    { words: 'pact lint claiming.json wrong.json', code: 2, stderr: /wrong\.json is not readable JSON/, files: wrong },
    { words: 'pact verify', code: 2, stderr: /needs pacts/ },
    { words: 'pact verify --pact absent.json', code: 2, stderr: /absent\.json cannot be read: ENOENT: no such file/ },
    { words: 'pact verify --pact wrong.json', code: 2, stderr: /wrong\.json is not readable JSON/ },
    { words: versioned, code: 2, stderr: /is for a broker: set PACT_BROKER_BASE_URL/ },
    { words: `pact verify --pact ${secret}`, code: 2, stderr: isSecretHidden },
  ],
  folder,
);

test.run();
