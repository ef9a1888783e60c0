/** `plan`, `list`, `explain`, `self-test`: commands that send nothing to anyone. */

import { readRunArguments } from '../command-line/arguments.ts';
import { surroundings, UsageError } from '../command-line/configuration.ts';

export async function plan(argv: readonly string[]): Promise<number> {
  const { planRun } = await import('./explain.ts');
  process.stdout.write(await planRun(readRunArguments(argv, { now: Date.now(), seed: 1 }, surroundings()).settings));
  return 0;
}

export async function list(argv: readonly string[]): Promise<number> {
  if (argv.length > 0) throw new UsageError('list takes nothing.');
  const { listRequirements } = await import('./explain.ts');
  process.stdout.write(listRequirements());
  return 0;
}

export async function explain([id = '', ...more]: readonly string[]): Promise<number> {
  if (more.length > 0) throw new UsageError('explain takes one id.');
  const { explainRequirement } = await import('./explain.ts');
  const text = explainRequirement(id);
  if (text === undefined) {
    throw new UsageError(`explain takes the id of a requirement, not "${id}"; petstore-conformance list shows them.`);
  }
  process.stdout.write(text);
  return 0;
}

/** Prints the matrix of faults and variants; 4 when the kit does not judge as it must. */
export async function selfTest([combinations = '1000', ...rest]: readonly string[]): Promise<number> {
  if (!/^\d{1,6}$/.test(combinations) || rest.length > 0) {
    throw new UsageError(
      `self-test takes one number of random combinations, not "${[combinations, ...rest].join(' ')}".`,
    );
  }
  const { isProven, runSelfTest, showSelfTest } = await import('../faults/self-test.ts');
  const result = await runSelfTest(Number(combinations));
  process.stdout.write(showSelfTest(result));
  return isProven(result) ? 0 : 4;
}
