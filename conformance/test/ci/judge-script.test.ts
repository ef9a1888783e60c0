/** The script for any CI: what it judges, where it takes the kit from, and how it ends. */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  checksum,
  digestOf,
  execute,
  folder,
  judgeOther,
  read,
  script,
  singleFile,
  tarball,
  withoutMessage,
} from './stand-in-release.ts';

test('the shell recipe judges, writes every report and ends as the kit does', async () => {
  const { code, stdout, stderr, cwd } = await judgeOther({}, (at, target) => execute(script, [], at, target));
  assert.is(code, 0, stdout + stderr);
  assert.match(stdout, /CONFORMS/);
  assert.is(JSON.parse(read(cwd, 'conformance-reports/report.json')).verdict, 'conforms');
  assert.match(read(cwd, 'conformance-reports/report.html'), /<html/);
  assert.match(read(cwd, 'conformance-reports/junit.xml'), /<testsuites/);
  const remarks = JSON.parse(read(cwd, 'conformance-reports/code-quality.json')) as { severity: string }[];
  assert.ok(remarks.every(({ severity }) => severity === 'minor'));
  assert.ok(JSON.parse(read(cwd, 'conformance-reports/leftovers.json')).created.length > 0);
  assert.not.ok(existsSync(join(cwd, 'conformance-reports/comparison.md')));
});

test('the gate is red where production keeps a requirement that fails now and is not waived', async () => {
  const production = await judgeOther({}, (at, target) => execute(script, [], at, target));
  const CONFORMANCE_BASELINE = join(production.cwd, 'conformance-reports/report.json');
  const broken = await judgeOther(withoutMessage, (at, target) =>
    execute(script, [], at, { ...target, CONFORMANCE_BASELINE, CONFORMANCE_REPORTS: 'elsewhere' }),
  );
  assert.is(broken.code, 1, broken.stderr);
  assert.match(read(broken.cwd, 'elsewhere/comparison.md'), 'error-message');
  const waivers = join(folder, 'waivers.yaml');
  writeFileSync(waivers, '- id: error-message\n  reason: fixed soon\n  owner: pets team\n  expires: 2026-12-31\n');
  const waived = await judgeOther(withoutMessage, (at, target) =>
    execute(script, [], at, { ...target, PETSTORE_WAIVERS: waivers }),
  );
  assert.is(waived.code, 0, waived.stdout);
  const absent = await judgeOther({}, (at, target) =>
    execute(script, [], at, { ...target, CONFORMANCE_BASELINE: 'not-there-yet.json' }),
  );
  assert.is(absent.code, 0, absent.stderr);
});

test('waivers are used only where their file exists, and the script says so where it does not', async () => {
  const { code, stderr } = await judgeOther(withoutMessage, (at, target) =>
    execute(script, [], at, { ...target, PETSTORE_WAIVERS: 'not-there-yet.yaml' }),
  );
  assert.is(code, 1);
  assert.match(stderr, /^There is no not-there-yet\.yaml, so no failure is waived\.$/m);
});

test('the gate is red where production was not judged, so that nothing can be compared', async () => {
  const refused = await judgeOther({}, (at, target) =>
    execute(script, [], at, { ...target, PETSTORE_API_KEY: 'not-the-key' }),
  );
  assert.is(refused.code, 3);
  const CONFORMANCE_BASELINE = join(refused.cwd, 'conformance-reports/report.json');
  const compared = await judgeOther({}, (at, target) => execute(script, [], at, { ...target, CONFORMANCE_BASELINE }));
  assert.is(compared.code, 3, compared.stdout);
  assert.match(compared.stdout, 'CONFORMS');
});

test('without a report nothing was judged, whatever the command ended with', async () => {
  for (const kit of ['false', 'sh -c true', 'no-such-command-here']) {
    const { code, stderr, cwd } = await judgeOther({}, (at, target) =>
      execute(script, [], at, { ...target, CONFORMANCE_KIT: kit, GITHUB_OUTPUT: join(at, 'output') }),
    );
    assert.is(code, 3, kit);
    assert.match(stderr, /The kit wrote no report: nothing was judged\./);
    assert.match(read(cwd, 'output'), /^exit-code=3\nverdict=inconclusive\n/);
  }
});

test('the kit comes from a path or an address, as the single file or as the tarball', async () => {
  const sum = digestOf(tarball);
  for (const [kitFile, sha256, code] of [
    [singleFile, '', 0],
    ['https://releases.example/petstore-conformance.tgz', sum, 0],
    ['https://releases.example/petstore-conformance.tgz', '', 2],
    ['https://releases.example/petstore-conformance.tgz', checksum, 2],
    ['https://releases.example/gone', checksum, 3],
    ['not-there.mjs', '', 2],
  ] as const) {
    const judged = await judgeOther({}, (at, target) =>
      execute(script, [], at, {
        ...target,
        CONFORMANCE_KIT_FILE: kitFile,
        CONFORMANCE_KIT_SHA256: sha256,
        GITHUB_OUTPUT: join(at, 'output'),
      }),
    );
    assert.is(judged.code, code, `${kitFile}: ${judged.stderr}`);
    assert.match(
      read(judged.cwd, 'output'),
      code === 0 ? 'verdict=conforms\nreports=conformance-reports\n' : 'verdict=inconclusive\nreports=\n',
    );
  }
});

test('the script of an installed package takes the package that holds it', async () => {
  const installed = join(folder, 'package/conformance/ci/judge.sh');
  const { code, stderr } = await judgeOther({}, (at, target) => execute('sh', [installed], at, target));
  assert.is(code, 0, stderr);
});

test('a file with another checksum is not started, and an output takes no line break', async () => {
  const wrong = await judgeOther({}, (at, target) =>
    execute(script, [], at, { ...target, CONFORMANCE_KIT_SHA256: '0'.repeat(64) }),
  );
  assert.equal([wrong.code, existsSync(join(wrong.cwd, 'conformance-reports'))], [2, false]);
  const right = await judgeOther({}, (at, target) =>
    execute(script, [], at, {
      ...target,
      CONFORMANCE_KIT_SHA256: checksum,
      CONFORMANCE_REPORTS: 'a\nverdict=conforms',
      GITHUB_OUTPUT: join(at, 'output'),
      PETSTORE_WAIVERS: 'not-there-yet.yaml',
    }),
  );
  assert.is(right.code, 0, right.stderr);
  assert.is(read(right.cwd, 'output'), 'exit-code=0\nverdict=conforms\nreports=\n');
});

test('without an address nothing is judged', async () => {
  const none = await execute(script, [], folder, { PETSTORE_API_KEY: 'some-key' });
  assert.is(none.code, 2);
  assert.is(none.stderr, 'Set PETSTORE_BASE_URL to the base address to judge.\n');
});

test.run();
