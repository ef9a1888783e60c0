/** The files that `init` writes: a configuration, the script with the gate, and jobs that call it. README.md shows the jobs. */

import { readFileSync } from 'node:fs';
import { kit } from '../verdict/report.ts';

export interface Recipe {
  readonly path: string;
  readonly text: string;
  /** The file that shows that a folder uses this CI; undefined for the script, which any CI may call. */
  readonly knownBy?: string;
  /** What is left to the user. */
  readonly next: string;
}

function recipeText(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8');
}

/** The configuration that a run in this folder reads. */
export function configurationFor(baseUrl: string): Recipe {
  const path = 'petstore-conformance.config.yaml';
  const text = recipeText(path).replace('BASE_URL', () => JSON.stringify(baseUrl));
  return { path, text, next: 'Set PETSTORE_API_KEY to a key of the service.' };
}

/** The name of the file that `npm pack` writes. */
export const tarballName = `${kit.name}-${kit.version}.tgz`;
/** Where the pages put the tarball. */
export const usualTarball = `vendor/${tarballName}`;

/** The script and the jobs that call it; they install the kit from a tarball in the folder of the user. */
export function recipesWith(tarball: string): Readonly<Record<'script' | 'github' | 'gitlab', Recipe>> {
  const textOf = (file: string): string => recipeText(file).replaceAll('TARBALL', () => tarball);
  return {
    script: {
      path: 'petstore-conformance.sh',
      text: textOf('petstore-conformance.sh'),
      next: `Call petstore-conformance.sh in your CI, with CONFORMANCE_KIT=${tarball}, the tarball that npm pack writes in a clone of the kit.`,
    },
    github: {
      path: '.github/workflows/pet-store-conformance.yml',
      text: textOf('github.yml'),
      knownBy: '.github',
      next: 'GitHub: put the key into the secret PETSTORE_API_KEY.',
    },
    gitlab: {
      path: '.gitlab/pet-store-conformance.yml',
      text: textOf('gitlab.yml'),
      knownBy: '.gitlab-ci.yml',
      next: 'GitLab: put the key into the masked variable PETSTORE_API_KEY, and into .gitlab-ci.yml the two lines at the top of the job.',
    },
  };
}

/** The recipes as the pages show them. */
export const recipes = recipesWith(usualTarball);
