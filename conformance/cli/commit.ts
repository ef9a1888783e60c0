/** The commit of the kit's own sources: of a checkout git tells it, into what is published the build writes it. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Defined by the build alone. An installed package lies in the checkout of somebody else, so git is not asked there. */
declare const commitOfBuild: string | undefined;

/** Milliseconds; git answers in a few of them or is of no use. */
const longest = 2_000;

function askGit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      encoding: 'utf8',
      timeout: longest,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}

/** Undefined where it is not known. */
export function readCommit(): string | undefined {
  const text = typeof commitOfBuild === 'string' ? commitOfBuild : askGit();
  return /^[0-9a-f]{40}$/.exec(text.trim())?.[0];
}
