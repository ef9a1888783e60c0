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
  return readFileSync(new URL(file, import.meta.url), 'utf8').replace('@VERSION', `@${kit.version}`);
}

/** The configuration that a run in this folder reads. */
export function configurationFor(baseUrl: string): Recipe {
  const path = 'petstore-conformance.config.yaml';
  const text = recipeText(path).replace('BASE_URL', () => JSON.stringify(baseUrl));
  return { path, text, next: 'Set PETSTORE_API_KEY to a key of the service.' };
}

export const recipes: Readonly<Record<'script' | 'github' | 'gitlab', Recipe>> = {
  script: {
    path: 'petstore-conformance.sh',
    text: recipeText('petstore-conformance.sh'),
    next: 'Call petstore-conformance.sh in your CI.',
  },
  github: {
    path: '.github/workflows/pet-store-conformance.yml',
    text: recipeText('github.yml'),
    knownBy: '.github',
    next: 'GitHub: put the key into the secret PETSTORE_API_KEY.',
  },
  gitlab: {
    path: '.gitlab/pet-store-conformance.yml',
    text: recipeText('gitlab.yml'),
    knownBy: '.gitlab-ci.yml',
    next: 'GitLab: put the key into the masked variable PETSTORE_API_KEY, and include the job in .gitlab-ci.yml.',
  },
};
