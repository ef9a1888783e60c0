/** The configuration and the jobs that `init` writes, and of which README.md shows the jobs. The script holds the gate; each CI calls it. */

import { readFileSync } from 'node:fs';
import { kit } from '../verdict/report.ts';

export interface Recipe {
  readonly path: string;
  readonly text: string;
  /** The file by which a folder is known as one of this CI; any is of one that calls the script. */
  readonly knownBy?: string;
  /** What is left to the user. */
  readonly next: string;
}

function textOf(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8').replace('@VERSION', `@${kit.version}`);
}

/** What a run reads in this folder. */
export function configurationFor(baseUrl: string): Recipe {
  const path = 'petstore-conformance.config.yaml';
  const text = textOf(path).replace('BASE_URL', () => JSON.stringify(baseUrl));
  return { path, text, next: 'Set PETSTORE_API_KEY to a key of the service.' };
}

export const recipes: Readonly<Record<'script' | 'github' | 'gitlab', Recipe>> = {
  script: {
    path: 'petstore-conformance.sh',
    text: textOf('petstore-conformance.sh'),
    next: 'Call petstore-conformance.sh in your CI.',
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
    next: 'GitLab: put the key into the masked variable PETSTORE_API_KEY, and include the job in .gitlab-ci.yml.',
  },
};
