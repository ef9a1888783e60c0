/** `init BASE_URL`: writes a configuration and a job for the CI of this folder; it asks nothing, and overwrites nothing. */

import { chmodSync, existsSync, globSync } from 'node:fs';
import { configurationFor, type Recipe, recipesWith, tarballName, usualTarball } from '../../ci/recipes.ts';
import type { Command } from '../configuration.ts';
import { print, writeText } from '../files.ts';

/** Writes what does not exist, and says so. */
async function writeNew({ path, text }: Recipe): Promise<string> {
  if (existsSync(path)) return `${path} exists already and is left as it is.`;
  await writeText(path, text);
  if (text.startsWith('#!')) chmodSync(path, 0o755);
  return `${path} is written.`;
}

export const init: Command<'init'> = async ({ values: { baseUrl = '' } }) => {
  // The tarball may lie here already, since the kit was installed from it.
  const [tarball = usualTarball] = globSync(`{.,*}/${tarballName}`);
  // GitHub reads workflows in the root of a repository alone.
  const found = Object.values(recipesWith(tarball)).filter(({ knownBy = '.' }) => existsSync(knownBy));
  const files = [configurationFor(baseUrl), ...found];
  const lines: string[] = [];
  for (const file of files) lines.push(await writeNew(file));
  await print(`${[...lines, 'Next:', ...files.map(({ next }) => `  ${next}`)].join('\n')}\n`);
  return 0;
};
