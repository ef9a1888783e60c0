/** Runs a command as a CI does: without the variables that configure the kit or belong to a CI that runs the tests. */

import { spawn } from 'node:child_process';

export type Variables = Readonly<Record<string, string>>;

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function execute(words: readonly string[], cwd: string, variables: Variables): Promise<Outcome> {
  const foreign = /^(PETSTORE_|CONFORMANCE_|GITHUB_|npm_|CI$|CI_)/;
  const plain = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const [command = '', ...args] = words;
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...Object.fromEntries(plain), ...variables } });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk) => {
        texts[name] += chunk;
      });
    }
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}
