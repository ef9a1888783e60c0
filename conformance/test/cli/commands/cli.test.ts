/** `run`: the embedded server, dry runs, and the waits that it shows. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startOtherServer } from '../../other-server.ts';
import { jumpingTime, onlyProgress, run, testCalls } from '../command.ts';

test('a wait for the rate limit is shown, and --quiet shows none', async () => {
  const { baseUrl, key } = await startOtherServer({ perMinute: 12 });
  for (const [flags, shown] of [
    [[], /^Waiting \d+ s: /m],
    [['--quiet'], /^$/],
  ] as const) {
    const words = ['run', baseUrl, '--max-requests', '30', ...flags];
    assert.match((await run(words, { PETSTORE_API_KEY: key }, { time: jumpingTime() })).stderr, shown);
  }
});

const conforms = /^CONFORMS \((\d+) of \d+ requirements pass\): the embedded reference server \([^\n]*\n\s*[^\n]*\n?/;

testCalls([
  // The embedded server conforms without a word of configuration, in no colour.
  {
    words: 'run --verbose',
    code: 0,
    stderr: onlyProgress,
    stdout: [
      /✓ pass {2}rate-recovery/,
      new RegExp(`${conforms.source}\\d+ requirements: \\1 passed, `),
      /\nCONFORMS \(\d+ of \d+ requirements pass\): the embedded reference server[^\n]*\n$/,
      /^(?!.*\x1b)/s,
    ],
  },
  {
    words: 'run --max-requests 20 --require-all',
    code: 3,
    stdout: [/ could not be judged: the budget of 20 requests is spent/],
  },
  // A dry run lists the requests of a run by operation, their share of a plan and what they cover, and sends nothing.
  {
    words: 'run --dry-run --max-requests 90 --plan free',
    code: 0,
    stdout: [
      /^createPet +\d+ requests +\d+ creations$/m,
      /^at most +90 requests +\d+ creations$/m,
      /^free: 2 minutes, 9\.0 % of the day$/m,
      /^covers (\d\d) of \1 things that the interface names$/m,
      /^ +\d+ of 125 {2}invalid bodies$/m,
    ],
  },
  {
    words: 'run --dry-run https://host/v1 --only 4.3 --reporter json',
    code: 0,
    stdout: [/^getPet +\d+ requests/m, /^(?!.*{)/s],
  },
  {
    words: 'run --dry-run https://host/v1 --read-only',
    code: 0,
    stdout: [/^at most +1000 requests +0 creations$/m, /^covers .*; leaves out:$/m, /^ {2}an animal that is sold$/m],
  },
  { words: 'run --dry-run https://host/v1 --plan free', code: 0, stdout: [/^at most +300 requests +\d+ creations$/m] },
]);

test.run();
