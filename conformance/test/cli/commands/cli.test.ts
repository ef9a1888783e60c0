/** `run`: the embedded server, dry runs, and the waits that it shows. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configurationFile } from '../../../cli/configuration.ts';
import { startOtherServer } from '../../other-server.ts';
import { jumpingTime, onlyProgress, run, temporaryFolder, testCalls } from '../command.ts';

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

const pact = new URL('../../../../pacts/adoption-site-pet-store.json', import.meta.url).pathname;
const noAddress = 'No base address is given, and';
const advice = `: give BASE_URL, PETSTORE_BASE_URL or base-url in ${configurationFile}. --embedded judges the embedded reference server.`;
const misspelt = 'PETSTORE_BASEURL is ignored: it is no variable of the kit. Did you mean PETSTORE_BASE_URL?';
const likeBaseUrl = '_BASE_URL is ignored: it is no variable of the kit. Did you mean PETSTORE_BASE_URL?';
const otherFile = 'petstore-conformance.config.yml';
const unread = `${otherFile} is ignored: the configuration is ${configurationFile}, or what --config names.`;
const run20 = 'run --max-requests 20';

// Without an address, no call that looks like a gate is green, and what was misspelt is named.
for (const [words, environment, files, sentences] of [
  [run20, { CI: 'true' }, {}, [`${noAddress} CI is set${advice}`]],
  [run20, { PETSTORE_API_KEY: 'some-key' }, {}, [`${noAddress} PETSTORE_API_KEY is set${advice}`]],
  [run20, { PETSTORE_BASEURL: 'x' }, {}, [misspelt, `${noAddress} PETSTORE_BASEURL is set${advice}`]],
  [
    run20,
    { PET_STORE_BASE_URL: 'x' },
    {},
    [`PET_STORE${likeBaseUrl}`, `${noAddress} PET_STORE_BASE_URL is set${advice}`],
  ],
  [run20, {}, { [configurationFile]: 'plan: free' }, [`${noAddress} ${configurationFile} is there${advice}`]],
  [run20, {}, { [otherFile]: 'base-url: x' }, [unread, `${noAddress} ${otherFile} is there${advice}`]],
  [`${run20} --no-embedded`, {}, {}, [`No base address is given${advice.replace(/ --embedded.*/, '')}`]],
  [`pact verify --pact ${pact}`, { CI: '1' }, {}, [`${noAddress} CI is set${advice}`]],
] as const) {
  test(`${words} without an address ends with 2: ${Object.keys({ ...environment, ...files })}`, async () => {
    const cwd = temporaryFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(cwd, name), text);
    const { code, stdout, stderr } = await run(words.split(' '), environment, { cwd });
    assert.equal([code, stdout], [2, '']);
    assert.is(stderr, sentences.map((one) => `${one}\n`).join(''));
  });
}

testCalls([
  // By name, and where nothing looks like a gate, the embedded server is judged.
  { words: `${run20} --embedded`, environment: { CI: '1', PETSTORE_SETTLE: '1' }, code: 0, stderr: onlyProgress },
  {
    words: run20,
    environment: { CI: 'false' },
    code: 0,
    stdout: [/: the embedded reference server /],
    stderr: onlyProgress,
  },
]);

test('other files of the kit are no configuration', async () => {
  const cwd = temporaryFolder();
  for (const name of ['petstore-conformance.mjs', 'petstore-conformance.sh', 'petstore-conformance.json']) {
    writeFileSync(join(cwd, name), '');
  }
  const { code, stderr } = await run([...run20.split(' '), '--quiet'], {}, { cwd });
  assert.equal([code, stderr], [0, '']);
});

test('a variable that looks like one of the kit and is none is named, with the one that is near', async () => {
  const variables = { PETSTORE_MAX_REQUEST: '60', PETSTORE_DATABASE: 'mine', Pet_Store_Plan: 'free' };
  const { code, stderr } = await run([...run20.split(' '), '--embedded', '--quiet'], variables);
  assert.is(code, 0);
  const remarks = [
    'PETSTORE_MAX_REQUEST is ignored: it is no variable of the kit. Did you mean PETSTORE_MAX_REQUESTS?',
    'PETSTORE_DATABASE is ignored: it is no variable of the kit.',
    'Pet_Store_Plan is ignored: it is no variable of the kit. Did you mean PETSTORE_PLAN?',
  ];
  assert.equal(stderr.trimEnd().split('\n').toSorted(), remarks.toSorted());
});

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
    stdout: [/\scould\s+not\s+be\s+judged:\s+the\s+budget\s+of\s+20\s+requests\s+is\s+spent/],
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
      /^ +\d+ of {2}93 {2}invalid bodies$/m,
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
