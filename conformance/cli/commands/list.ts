/** `list`: prints every requirement, and with --json every gap and client requirement too; sends nothing. */

import { clientRequirements } from '../../../spec/client-requirements.ts';
import { gaps } from '../../../spec/gaps.ts';
import { requirements } from '../../../spec/requirements.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';

function listRequirements(): string {
  const width = Math.max(...requirements.map(({ id }) => id.length));
  const lines = requirements.map(
    ({ section, id, level, text }) => `§${section.padEnd(4)}${id.padEnd(width + 2)}${level.padEnd(10)}${text}`,
  );
  return `${lines.join('\n')}\n`;
}

export async function list({ values }: Invocation<'list'>): Promise<number> {
  await print(
    values.isJson ? `${JSON.stringify({ requirements, gaps, clientRequirements }, null, 2)}\n` : listRequirements(),
  );
  return 0;
}
