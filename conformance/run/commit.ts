/** The commit of the kit's own sources: git knows it in a checkout, and the build writes it into the package. */

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Only the build defines it. An installed package lies in another project's checkout, so git is not asked there. */
declare const commitOfBuild: string | undefined;

/** Git answers within a few milliseconds, or not at all. */
const timeoutMs = 2_000;

function askGit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      encoding: 'utf8',
      timeout: timeoutMs,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}

let text: string | undefined;

/** The sources that run stay the same, so git is asked once. */
export function readCommit(): string | undefined {
  text ??= typeof commitOfBuild === 'string' ? commitOfBuild : askGit();
  return /^[0-9a-f]{40}$/.exec(text.trim())?.[0];
}
