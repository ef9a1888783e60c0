/** What `npm ci` runs and says in a clone. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const root = new URL('../../..', import.meta.url).pathname;
const read = (file: string): string => readFileSync(root + file, 'utf8');

test('every install script is allowed or refused by name, and the pages name those that are refused', () => {
  const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = withScript.map(([path]) => path.replace(/^.*node_modules\//, ''));
  assert.equal([...new Set(names)].sort(), Object.keys(allowScripts).sort());
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  assert.equal(allowed, ['node']);
  // It reports each install to its makers. Whoever installs Pact beside the package gets it, too.
  for (const page of ['CONTRIBUTING.md', 'pacts/README.md']) assert.match(read(page), '@scarf/scarf');
});

test('npm prints no warning for each package that wants a newer Node than the machine has', () => {
  const plain = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const options = { cwd: root, encoding: 'utf8', env: Object.fromEntries(plain) } as const;
  assert.is(execFileSync('npm', ['config', 'get', 'loglevel'], options).trim(), 'error');
  assert.match(read('CONTRIBUTING.md'), 'EBADENGINE');
});

test.run();
