/** `explain`: what it lists and suggests, and that its curl lines run. A golden file shows what it prints for each kind of id. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalDayInWords } from '../../../../spec/facts.ts';
import { failureCodes } from '../../../../spec/failure-codes.ts';
import { gaps } from '../../../../spec/gaps.ts';
import { pageLimit } from '../../../../spec/operations.ts';
import { type RequirementId, requirements } from '../../../../spec/requirements.ts';
import { faults } from '../../../faults/index.ts';
import { mistakesBehind } from '../../../verdict/remedies/index.ts';
import { startOtherServer } from '../../other-server.ts';
import { run, testCalls } from '../command.ts';

const near = /^explain knows no "pet-naem-kept"; .* Did you mean pet-name-kept\?\n$/;
const stackless = /^explain knows no stack "Falsk"; it knows Express, .*, nginx\.\n$/;
const far = /^explain knows no "toString"; petstore-conformance explain lists requirements and gaps\.\n$/;
testCalls([
  { words: 'explain pet-naem-kept', code: 2, stderr: near },
  { words: 'explain toString', code: 2, stderr: far },
  { words: 'explain list-complete Falsk', code: 2, stderr: stackless },
]);

test('without an id every requirement is listed, then every gap; faults stand behind one another', async () => {
  const lines = (await run(['explain'])).stdout.trimEnd().split('\n');
  const listed = lines.map((line) => line.split(/\s+/)[1]).join(' ');
  assert.is(listed, [...requirements, ...gaps].map(({ id }) => id).join(' '));
  const { stdout } = await run(['explain', 'pet-name-kept', '--verbose']);
  const ids = faults.filter(({ breaks }) => breaks[0] === 'pet-name-kept').map(({ id }) => id);
  assert.ok(stdout.endsWith(`\nProven by ${ids.length} faults:\n  ${ids.join(', ')}\n`), stdout);
});

/** The statuses that a service which conforms answers to the curl lines of these requirements. */
const answers: Readonly<Record<string, string>> = {
  'list-answer': '200',
  'create-answer': '201',
  'get-not-found': '404',
  'create-required-fields': '400',
  'auth-missing-key': '401',
  'auth-invalid-key': '401',
  'auth-bearer-header': '401',
  'create-malformed-body': '400',
  'create-invalid-values': '400',
  'pet-category-id-kept': '201',
};

/** The explanation of a requirement before its mistakes, then each mistake with its remedies. */
function splitAtMistakes(id: RequirementId, text: string): readonly string[] {
  let parts: readonly string[] = [text];
  for (const { title } of mistakesBehind(id)) {
    const last = parts.at(-1)!;
    const at = last.indexOf(`\n${title}:\n`);
    assert.ok(at > 0, `${id} shows no "${title}"`);
    parts = [...parts.slice(0, -1), last.slice(0, at), last.slice(at + 1)];
  }
  return parts;
}

test('a requirement shows the mistakes that break it, with what to change', async () => {
  const { stdout } = await run(['explain', 'create-body-utf8']);
  assert.match(stdout, /^A lone surrogate, bytes that are not UTF-8, .*:\n {2}Refuse with 400 what cannot be encoded/m);
});

test('without a stack each has a sentence; a stack that is named has its code, and no other stack', async () => {
  const { stdout } = await run(['explain', 'pet-name-kept']);
  assert.match(stdout, /^ {2}Flask: Store the name as it came, without `\.strip\(\)`\.$/m);
  assert.not.match(stdout, /body\.get/);
  assert.match(stdout, /^The code for your stack:\n {2}petstore-conformance explain pet-name-kept STACK$/m);
  const flask = (await run(['explain', 'pet-name-kept', 'flask'])).stdout;
  assert.match(flask, /^ {2}Flask: Store the name .*\n {6}name = body\.get\("name"\)$/m);
  assert.not.match(flask, /Express|STACK/);
  const nginx = (await run(['explain', 'error-shape', 'nginx'])).stdout;
  assert.match(nginx, /^ {2}nginx in front: .*\n {6}proxy_intercept_errors off;$/m);
});

test('what is advised is said as advice: neither its texts nor a failure code say must', async () => {
  for (const { id, level } of requirements) {
    const { stdout } = await run(['explain', id]);
    if (level === 'advised') assert.not.match(stdout, /\bmust\b/, id);
  }
  // Requirements of both levels share codes, so no code says what a service must do.
  for (const [code, text] of Object.entries(failureCodes)) assert.not.match(text, /\bmust\b/, code);
});

test('explain allows nothing that the judge warns of', async () => {
  for (const id of ['list-limit-refused', 'list-status-refused']) {
    const { stdout } = await run(['explain', id]);
    const [, allowed = ''] = /^Allowed:\n(.*)$/m.exec(stdout) ?? [];
    assert.not.match(allowed, /clamp|ignor|empty/, id);
  }
});

test('each requirement is short, its curl line runs, and a service that conforms answers it as the requirement says', async () => {
  const { baseUrl, key } = await startOtherServer();
  const lines: string[] = [];
  for (const { id } of requirements) {
    const { stdout } = await run(['explain', id], { COLUMNS: '500' });
    assert.not.match(stdout, /Proven by|Judged by/, id);
    const [head = '', ...remedies] = splitAtMistakes(id, stdout);
    assert.ok(head.split('\n').length <= 13, id);
    // A name in braces that nothing fills in.
    assert.not.match(head, /\{\w+\}/, id);
    // The remedies of a mistake fit a screen.
    for (const remedy of remedies) assert.ok(remedy.split('\n').length <= 40, `${id}:\n${remedy}`);
    const line = /^ {2}(curl .*)$/m.exec(stdout)?.[1];
    if (line !== undefined) lines.push(`echo "${id}: $(${line} | head -1)"`);
  }
  const env = { ...process.env, PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: key };
  const { stdout } = await promisify(execFile)('bash', ['-c', lines.join('\n')], { env });
  for (const answer of stdout.trimEnd().split('\n')) {
    const [id = ''] = answer.split(':');
    assert.match(answer, new RegExp(`: HTTP/1\\.1 ${answers[id] ?? '[24]\\d\\d'}`));
  }
  assert.ok(lines.length > 40 && stdout.split('\n').length === lines.length + 1);
});

test('explanations name the limits and the removal of the interface', async () => {
  const { least, most } = pageLimit;
  const expected = {
    'list-complete': [`/pets?limit=${most}"`],
    'list-limit-refused': [
      `an integer from ${least} to ${most}`,
      `/pets?limit=${most + 1}"`,
      `more than ${most} animals`,
    ],
    'list-limit-default': [`below ${pageLimit.usual}.`],
    'get-answer': [`from ${removalDayInWords} on`],
  };
  for (const [id, parts] of Object.entries(expected)) {
    const { stdout } = await run(['explain', id], { COLUMNS: '500' });
    for (const part of parts) assert.ok(stdout.includes(part), `${id}: ${part}`);
  }
});

test.run();
