/** `list`: a line for each statement of the interface; sends nothing. */

import { requirements } from '../../spec/requirements.ts';
import { print } from '../command-line/files.ts';

function listRequirements(): string {
  const width = Math.max(...requirements.map(({ id }) => id.length));
  const lines = requirements.map(
    ({ section, id, level, statement }) =>
      `§${section.padEnd(4)}${id.padEnd(width + 2)}${level.padEnd(10)}${statement}`,
  );
  return `${lines.join('\n')}\n`;
}

export async function list(): Promise<number> {
  await print(listRequirements());
  return 0;
}
