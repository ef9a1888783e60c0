/** Stands in for the package uvu where tests are run one by one: it keeps what a test file registers instead of running it. */

export interface CollectedTest {
  readonly id: string;
  readonly name: string;
  readonly file: string;
  readonly run: () => unknown;
}

let currentFile = '';
let collected: CollectedTest[] = [];

function keep(name: string, run: () => unknown): void {
  const number = collected.filter((test) => test.file === currentFile && test.name === name).length;
  const suffix = number === 0 ? '' : ` (${number + 1})`;
  collected.push({ id: `${currentFile}: ${name}${suffix}`, name, file: currentFile, run });
}

const ignore = () => {};

/** The interface of uvu's `test`. Hooks clean up after a process of their own, so they are left out. */
export const test = Object.assign(keep, { only: keep, skip: ignore, run: ignore, before: ignore, after: ignore });
export const suite = (): typeof test => test;

export async function collectTests(
  files: readonly string[],
  load: (file: string) => Promise<unknown>,
): Promise<readonly CollectedTest[]> {
  collected = [];
  for (const file of files) {
    currentFile = file;
    await load(file);
  }
  return collected;
}
