/** `explain`: what it lists and suggests, and that its curl lines run. A golden file shows what it prints for each kind of id. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalDayInWords } from '../../../../spec/facts.ts';
import { gaps } from '../../../../spec/gaps.ts';
import { pageLimit } from '../../../../spec/operations.ts';
import { requirements } from '../../../../spec/requirements.ts';
import { faults } from '../../../faults/index.ts';
import { startOtherServer } from '../../other-server.ts';
import { run, testCalls } from '../command.ts';

const near = /^explain knows no "pet-naem-kept"; .* Did you mean pet-name-kept\?\n$/;
const far = /^explain knows no "toString"; petstore-conformance explain lists requirements and gaps\.\n$/;
testCalls([
  { words: 'explain pet-naem-kept', code: 2, stderr: near },
  { words: 'explain toString', code: 2, stderr: far },
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

test('each requirement is short, its curl line runs, and a service that conforms answers it as the requirement says', async () => {
  const { baseUrl, key } = await startOtherServer();
  const lines: string[] = [];
  for (const { id } of requirements) {
    const { stdout } = await run(['explain', id], { COLUMNS: '500' });
    assert.not.match(stdout, /Proven by|Judged by/, id);
    assert.ok(stdout.split('\n').length <= 13, id);
    // A name in braces that nothing fills in.
    assert.not.match(stdout, /\{\w+\}/, id);
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
