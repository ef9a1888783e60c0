/** pact verify and pact lint as a user runs them: real servers, reports and exit codes. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { onlyProgress, run, temporaryFolder, testCalls } from '../../conformance/test/cli/command.ts';
import { startOtherServer } from '../../conformance/test/other-server.ts';

const folder = temporaryFolder();
const recordedFile = new URL('../adoption-site-pet-store.json', import.meta.url).pathname;

test('a target that breaks an interaction ends with 1, and every reporter names it', async () => {
  const breaks = (answer: { status: number; body: string }): void => {
    if (answer.status === 404) answer.body = '{}';
  };
  const { baseUrl, key } = await startOtherServer({ breaks });
  const formats = ['junit', 'github', 'markdown', 'html'];
  const written = formats.flatMap((format) => ['--reporter', `${format}=${join(folder, format)}`]);
  const words = ['pact', 'verify', baseUrl, '--pact', recordedFile, '--reporter', 'terminal', ...written];
  const { code, stdout } = await run(words, { PETSTORE_API_KEY: key });
  assert.is(code, 1);
  assert.match(stdout, /set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted/);
  assert.match(stdout, /✗ FAIL {2}adoption-site: the animal 404, which is unknown/);
  assert.match(stdout, /✗ FAIL {2}§2 error-code/);
  const [junit, github, ...pages] = formats.map((format) => readFileSync(join(folder, format), 'utf8'));
  for (const page of pages) assert.match(page, /the animal 404, which is unknown/);
  assert.match(junit!, /<failure type="interaction"/);
  assert.match(github!, /^::error title=adoption-site%3A the animal 404/m);
});

const evil = 'evil\x1b[2J\u202e\n::set-output name=x::y\r\n##[error]x';
const isHarmless = /^(?!.*([\x1b\r\u202e]|##\[|(^|\n)\s*::set-output)).*evil/s;
const withMessage = (description: string, name = 'a') =>
  JSON.stringify({ consumer: { name }, interactions: [{ type: 'Asynchronous/Messages', description }] });
const hostile = { 'hostile.json': withMessage(evil, evil) };
const wrong = { 'wrong.json': '{"consumer":' };
const claiming = { 'claiming.json': withMessage('an event') };
const claim = /claiming\.json: "an event" cannot be verified: it is a message, .* \[not-verifiable\]\n/;

/** It expects a status that no sentence gives. The byte order mark in front is what some editors write. */
const overclaiming = {
  'overclaiming.json': `\ufeff${JSON.stringify({
    consumer: { name: 'a' },
    interactions: [{ description: 'a listing', request: { method: 'GET', path: '/pets' }, response: { status: 204 } }],
  })}`,
};
// No requirement fails, so none is counted as one that does.
const holdsNothing = /DOES NOT CONFORM \((\d+) of \1 requirements pass; pact verify: 0 of 1\s+interactions hold\)/;

const isSound = /pet-store\.json: claims only what the interface states\n/;
const versioned = ['pact', 'verify', '--pact', recordedFile, '--provider-version', '1'];
const ofFilesAlone =
  /^--provider-version is for pacts of the broker, and each --pact names a file or a folder: leave one of the two out\.\n$/;
const secret = 'http://me:pass-word@127.0.0.1:9/pact?token=sesame';
const isSecretHidden =
  /^(?!.*(pass-word|sesame))The pact \S+ cannot be read: name a file or a folder, or its broker in /m;

testCalls(
  [
    {
      // Without a base address the embedded server is verified. Three animals are for states, one is the consumer's.
      words: ['pact', 'verify', '--pact', recordedFile],
      code: 0,
      stderr: onlyProgress,
      stdout: [/8 of 8 interactions hold/, /^21 requests, 4 creations, /m, /^(?!.*leaves)/s],
    },
    { words: 'pact verify --pact hostile.json', code: 3, stdout: [isHarmless], files: hostile },
    { words: 'pact lint hostile.json', code: 1, stdout: [isHarmless] },
    { words: ['pact', 'lint', recordedFile], code: 0, stdout: [isSound] },
    { words: 'pact lint claiming.json', code: 1, stdout: [claim], files: claiming },
    { words: 'pact lint claiming.json wrong.json', code: 2, stderr: /wrong\.json is not readable JSON/, files: wrong },
    { words: 'pact verify --pact overclaiming.json', code: 1, stdout: [holdsNothing], files: overclaiming },
    { words: 'pact verify', code: 2, stderr: /needs pacts/ },
    { words: 'pact verify --pact absent.json', code: 2, stderr: /absent\.json cannot be read: ENOENT: no such file/ },
    { words: versioned, code: 2, stderr: /^--provider-version is for a broker: set PACT_BROKER_BASE_URL\.\n$/ },
    // Results of pacts in files are not published, even where a broker is set.
    { words: versioned, environment: { PACT_BROKER_BASE_URL: 'http://broker' }, code: 2, stderr: ofFilesAlone },
    { words: `pact verify --pact ${secret}`, code: 2, stderr: isSecretHidden },
  ],
  folder,
);

test.run();
