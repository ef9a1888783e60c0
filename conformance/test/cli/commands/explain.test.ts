/** `explain`: what it prints for each kind of id, what it finds by a word, and what it suggests. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../../../spec/requirements.ts';
import { faults } from '../../../faults/index.ts';
import { startOtherServer } from '../../other-server.ts';
import { run, testCalls } from '../command.ts';

/** What is printed of words: patterns of the standard output. */
const explained: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  'pet-name-kept': [
    /^§2 pet-name-kept \(required: breaking it fails the run\)\nAn accepted name/,
    /\nAllowed:\n {2}Refusing a name.*\n\nThe usual mistake:\n {2}Names are trimmed.*\n\nAsk for it:\n/,
  ],
  'error-not-empty': [/^§7 error-not-empty \(advised: breaking it warns\)\n/],
  'auth-missing-key': [/\n {2}curl -i -X POST "\$PETSTORE_BASE_URL\/pets" -H (?!.*Authorization).*\n$/],
  'auth-invalid-key': [/ -H "Authorization: Bearer wrong"\n$/],
  'rate-exceeded': [/\n {2}More often than the limit allows:\n {2}curl -i /],
  'create-body-utf8': [/ --data-raw \$'.*\\xff.*'\n$/],
  'service-staging-paths': [/\nNot tested:\n {2}A run judges one base address/],
  'pet-name-kept --verbose': [
    /\nJudged by:\n {2}animals-are-kept\n/,
    /\nProven by \d{2,3} faults:\n( {2}.*\n)* {2}.*\bname-stored-trimmed\b/,
  ],
  'any-list-order': [/^§4\.1 any-list-order \(client requirement, required\)\nWorks whatever the answer is: In which/],
  'status-omitted': [
    /^§2 status-omitted \(gap: observed, never judged\)\n/,
    /\n {2}available: It is available\. \(the reference server\)\n/,
  ],
  'store-orders': [/\n\nThe interface mentions store orders and shows no path for them\.\n$/],
  'refused-yet-stored': [/^refused-yet-stored \(failure code\)\nA request was refused, but its animal/],
  '§4.2': [
    /^No id is "§4\.2"; these speak of it:\n\n§4\.2 +create-answer +required /,
    /\n§4\.2 +location-header +gap /,
  ],
  '9': [/\n§9 +get-until-removal +required /],
  '404': [
    /^No id is "404"; these speak of it:\n\n/,
    /\n§4\.3 get-not-found +required /,
    /\n§8 +refused-requests +gap /,
  ],
  limit: [
    /\n§4\.1 list-limit-default +required /,
    /\n§4\.1 client-limit-in-range +client /,
    /\n +default-differs +code /,
  ],
};

testCalls([
  ...Object.entries(explained).map(([words, stdout]) => {
    return { words: `explain ${words}`, environment: { COLUMNS: '200' }, code: 0, stdout };
  }),
  ...Object.entries({
    'pet-naem-kept': /^explain knows no "pet-naem-kept"; .* Did you mean pet-name-kept\?\n$/,
    toString: /^explain knows no "toString"; petstore-conformance explain lists the requirements\.\n$/,
  }).map(([words, stderr]) => ({ words: `explain ${words}`, code: 2, stderr })),
]);

test('without an id every requirement is listed; faults stand behind one another in the width of the terminal', async () => {
  const lines = (await run(['explain'])).stdout.trimEnd().split('\n');
  assert.equal(
    lines.map((line) => line.split(/\s+/)[1]),
    requirements.map(({ id }) => id),
  );
  const { stdout } = await run(['explain', 'pet-name-kept', '--verbose'], { COLUMNS: '80' });
  const [, shown = ''] = /\nProven by (?:\d+) faults:\n([\s\S]+)$/.exec(stdout) ?? [];
  const ids = faults.filter(({ breaks }) => breaks[0] === 'pet-name-kept').map(({ id }) => id);
  assert.equal(shown.trim().split(/,\s+/), ids);
  for (const line of shown.trimEnd().split('\n')) assert.ok(/^ {2}\S/.test(line) && line.length <= 80, line);
});

/** The statuses that a service which conforms answers to the curl lines of these requirements. */
const answers: Readonly<Record<string, string>> = {
  ...{ 'list-answer': '200', 'create-answer': '201', 'get-not-found': '404', 'create-required-fields': '400' },
  ...{ 'auth-missing-key': '401', 'auth-invalid-key': '401', 'auth-bearer-header': '401' },
  ...{ 'create-malformed-body': '400', 'create-invalid-values': '400', 'pet-category-id-kept': '201' },
};

test('each requirement is short, its curl line runs, and a service that conforms answers it as the requirement says', async () => {
  const { baseUrl, key } = await startOtherServer();
  const lines: string[] = [];
  for (const { id } of requirements) {
    const { stdout } = await run(['explain', id], { COLUMNS: '500' });
    assert.not.match(stdout, /Proven by|Judged by/, id);
    assert.ok(stdout.split('\n').length <= 13, id);
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

test.run();
