/** The jobs that `init` writes and that README.md shows. The script holds the gate; each CI calls it. */

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

/** The files beside this one, which a build copies beside its code. */
function textOf(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8').replace('@VERSION', `@${kit.version}`);
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
