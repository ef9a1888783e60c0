/** `init BASE_URL`: writes a configuration and a job for the CI of this folder; it asks nothing, and overwrites nothing. */

import { chmodSync, existsSync } from 'node:fs';
import { type Ci, type Recipe, recipes } from '../../ci/recipes.ts';
import { isLoopback } from '../../run/judge.ts';
import type { Invocation } from '../configuration.ts';
import { configurationFile } from '../configuration.ts';
import { print, writeText } from '../files.ts';

function configurationFor(baseUrl: string): Recipe {
  const start = isLoopback(baseUrl)
    ? '# A command that starts the service for the run, and is ended after it.\n# start: npm start\n'
    : '';
  const text = `# Options of petstore-conformance, by the names of their flags. Keys come from the environment only.
base-url: ${JSON.stringify(baseUrl)}
${start}# The plan of the API key decides the pace: free, pro, business or enterprise.
# plan: free
max-requests: 60
`;
  return { path: configurationFile, text };
}

async function writeNew({ path, text }: Recipe): Promise<void> {
  if (existsSync(path)) {
    await print(`${path} exists already and is left as it is.\n`);
    return;
  }
  await writeText(path, text, 'wx');
  if (text.startsWith('#!')) chmodSync(path, 0o755);
  await print(`${path} is written.\n`);
}

/** Each CI system, the file by which a folder is known as its own, and what is left to do there. */
const cis: readonly (readonly [ci: Ci, knownBy: string, lastStep: string])[] = [
  // GitHub reads workflows in the root of a repository alone.
  ['github', '.github', 'GitHub: put the key into the secret PETSTORE_API_KEY.'],
  [
    'gitlab',
    '.gitlab-ci.yml',
    'GitLab: put the key into the masked variable PETSTORE_API_KEY, and include the job in .gitlab-ci.yml.',
  ],
];

export async function init({ values }: Invocation<'init'>): Promise<number> {
  const found = cis.filter(([, file]) => existsSync(file));
  await writeNew(configurationFor(values.baseUrl ?? ''));
  for (const ci of ['script', ...found.map(([ci]) => ci)] as const) await writeNew(recipes[ci]);
  const steps = found.length === 0 ? ['Any other CI: call petstore-conformance.sh.'] : found.map(([, , step]) => step);
  await print(
    `Next: set PETSTORE_API_KEY to a key of the service, then start "petstore-conformance run".\n${steps.join('\n')}\n`,
  );
  return 0;
}
