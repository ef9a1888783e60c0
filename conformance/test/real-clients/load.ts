/** Loads packages from the folder that CLIENT_PACKAGES names, or from this project. */

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { CLIENT_PACKAGES: folder } = process.env;
const places: readonly string[] = [...(folder ? [`${folder}/package.json`] : []), import.meta.url];

/** The path of a package; undefined where it is not installed. */
export function findPackage(name: string): string | undefined {
  for (const place of places) {
    try {
      return createRequire(place).resolve(name);
    } catch {
      // It may be in the next place.
    }
  }
  return undefined;
}

/** The names of a package, whether it is written for `import` or for `require`. */
export async function load(name: string): Promise<Readonly<Record<string, unknown>>> {
  const path = findPackage(name);
  if (path === undefined) throw new Error(`${name} is not installed`);
  const loaded = await import(pathToFileURL(path).href);
  return { ...loaded.default, ...loaded, default: loaded.default?.default ?? loaded.default };
}
