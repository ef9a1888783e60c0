/** `list`: every statement of the interface, and for programs every gap and every statement about clients; sends nothing. */

import { clientStatements } from '../../spec/client-statements.ts';
import { gaps } from '../../spec/gaps.ts';
import { requirements } from '../../spec/requirements.ts';
import type { Invocation } from '../command-line/configuration.ts';
import { print } from '../command-line/files.ts';

function listRequirements(): string {
  const width = Math.max(...requirements.map(({ id }) => id.length));
  const lines = requirements.map(
    ({ section, id, level, statement }) =>
      `§${section.padEnd(4)}${id.padEnd(width + 2)}${level.padEnd(10)}${statement}`,
  );
  return `${lines.join('\n')}\n`;
}

export async function list({ values }: Invocation<'list'>): Promise<number> {
  await print(
    values.isJson ? `${JSON.stringify({ requirements, gaps, clientStatements }, null, 2)}\n` : listRequirements(),
  );
  return 0;
}
