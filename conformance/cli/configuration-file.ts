/** Finds and reads the configuration file. It may set addresses and output paths, so a stranger's file must not be read. */

import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { flagOf, type OptionName, optionNames, optionOf } from './options.ts';
import { shown } from './readers.ts';
import { suggest } from './suggest.ts';
import { UsageError } from './usage-error.ts';
import { readYaml } from './yaml-file.ts';

export const configurationFile = 'petstore-conformance.config.yaml';

/** A folder and all above it. */
function foldersFrom(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersFrom(above)];
}

/** The root of the repository that a folder belongs to. */
export function repositoryOf(folder: string): string | undefined {
  return foldersFrom(folder).find((one) => existsSync(join(one, '.git')));
}

/**
 * The folders in which the file may lie: from a folder up to the root of its repository, or else up to the home folder.
 * A folder outside of both is searched alone, since anybody may write files above it.
 */
function searchedFolders(folder: string, home: string | undefined): readonly string[] {
  const folders = foldersFrom(folder);
  return folders.slice(0, Math.max(0, folders.indexOf(repositoryOf(folder) ?? home ?? '')) + 1);
}

const writableByOthers = 0o002;

/** Refuses a file that any user of the machine may write, or may have put there. */
function checkOwner(file: string): void {
  if (process.platform === 'win32') return;
  const [own, folder] = [statSync(file), statSync(dirname(file))];
  const isPlanted = (folder.mode & writableByOthers) !== 0 && own.uid !== process.getuid?.();
  if ((own.mode & writableByOthers) === 0 && !isPlanted) return;
  throw new UsageError(`${shown(file)} is not read: every user of this machine may write it. Run chmod o-w on it.`);
}

function textsOf(name: OptionName, value: unknown, file: string): readonly string[] {
  const flag = flagOf(name);
  if (Array.isArray(value) && optionOf(name).kind !== 'list') {
    throw new UsageError(`${flag} in ${file} takes one value, not a list.`);
  }
  return (Array.isArray(value) ? value : [value]).map((one: unknown) => {
    if (['string', 'bigint', 'number', 'boolean'].includes(typeof one)) return String(one);
    throw new UsageError(`${flag} in ${file} takes a text, a number or true or false.`);
  });
}

/** The options in the nearest configuration file, from a folder upwards. It may hold options of any command. */
export function readConfigurationFile(folder: string, home: string | undefined) {
  const file = searchedFolders(folder, home)
    .map((one) => join(one, configurationFile))
    .find((path) => existsSync(path));
  if (file === undefined) return [];
  checkOwner(file);
  const content = readYaml(file, 'The configuration', { intAsBigInt: true }) ?? {};
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new UsageError(`${file} must hold options by name, like max-requests: 60.`);
  }
  return Object.entries(content).flatMap(([flag, value]) => {
    // Two commands may read the same flag in their own way.
    const names = optionNames.filter((candidate) => flagOf(candidate) === flag);
    if (names.length > 0) {
      const label = `${flag} in ${file}`;
      return names.map((name) => [name, { texts: textsOf(name, value, file), label, source: file }] as const);
    }
    const known = suggest(flag, optionNames.map(flagOf));
    const hint = /key/.test(flag) ? 'keys come from the environment only' : 'petstore-conformance --help lists them';
    throw new UsageError(`${file} has no option "${shown(flag)}": ${hint}.${known}`);
  });
}
