/** `--waivers FILE`: what a waiver does to a run, and which files are refused before a request is sent. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startOtherServer } from '../../other-server.ts';
import { run, temporaryFolder } from '../command.ts';

const file = join(temporaryFolder(), 'waivers.yaml');

const waiver = (id: string, expires: string): string =>
  `- id: ${id}\n  reason: fixed in 2.0\n  owner: pets team\n  expires: ${expires}\n`;
const failing = waiver('error-status-equals', '2026-11-21');

/** Of a service whose 404 tells another status: the file, the exit code, what is printed, whether requests are sent. */
const cases: readonly (readonly [what: string, text: string, code: number, pattern: RegExp])[] = [
  [
    'a waiver that holds',
    failing,
    0,
    /^CONFORMS with 1 waived failure.*~ waived §7 error-status-equals.*Waived \(pets team, until 2026-11-21\): fixed in 2\.0/i,
  ],
  [
    'one of another failure code',
    failing.replace('- id', '- code: id-missing\n  id'),
    1,
    /FAIL §7 error-status-equals/,
  ],
  [
    'an expired one',
    waiver('error-status-equals', '2026-11-20'),
    1,
    /the waiver of error-status-equals expired on 2026-11-20: remove or renew it/,
  ],
  [
    'an expired one of a requirement that holds',
    failing + waiver('list-limit', '2026-11-20'),
    1,
    /the waiver of list-limit expired on 2026-11-20/,
  ],
  [
    'a stale one',
    failing + waiver('list-limit', '2027-01-31'),
    0,
    /list-limit holds in this run, so its waiver may be removed\./,
  ],
  [
    'a day that does not exist',
    waiver('pet-id', '2027-02-31'),
    2,
    /must expire on a day like 2027-01-31, not "2027-02-31"/,
  ],
  [
    'no owner and no reason',
    '- { id: pet-id, owner: "", reason: "", expires: 2027-01-31 }',
    2,
    /^The waiver of pet-id in \S+ has no owner and no reason: fill in who mends/,
  ],
  [
    'an anchor',
    '- &a { id: pet-id }\n- *a\n',
    2,
    /uses the YAML anchor &a in line 1: write each value where it belongs/,
  ],
  ['an alias', '- id: pet-id\n  reason: *a\n', 2, /uses the YAML anchor \*a in line 2/],
  ['no YAML', '- id: [', 2, /^The waivers file \S+ is no YAML in line \d+: /],
];

for (const [what, text, expected, pattern] of cases) {
  test(`a file with ${what} ends with ${expected}`, async () => {
    const { baseUrl, key, server } = await startOtherServer({
      breaks: (answer) => {
        if (answer.status === 404) answer.body = answer.body.replace('"status":404', '"status":400');
      },
    });
    let asked = 0;
    server.on('request', () => {
      asked += 1;
    });
    writeFileSync(file, text);
    const args = ['run', baseUrl, '--waivers', file, '--max-requests', '60', '--now', '2026-11-21'];
    const { code, stdout, stderr } = await run(args, { PETSTORE_API_KEY: key });
    server.close();
    assert.is(code, expected, stdout + stderr);
    assert.match((stdout + stderr).replaceAll(/\s+/g, ' '), pattern);
    assert.is(asked > 0, expected !== 2);
  });
}

test.run();
