/** The commit of the kit's own sources: of a checkout git tells it, of a package the build wrote it down. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);

/** Milliseconds; git answers in a few of them or is of no use. */
const longest = 2_000;

function askGit(): string {
  try {
    return execFileSync('git', ['rev-parse', 'HEAD'], {
      cwd: fileURLToPath(root),
      encoding: 'utf8',
      timeout: longest,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}

function readFileOfBuild(): string {
  const file = new URL('commit', root);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** Undefined where it is not known. An installed package lies in the checkout of somebody else. */
export function readCommit(): string | undefined {
  const text = extname(import.meta.url) === '.ts' ? askGit() : readFileOfBuild();
  return /^[0-9a-f]{40}$/.exec(text.trim())?.[0];
}
