/** Help as a terminal of eighty columns shows it, of the program and of two commands, and explanations. */

import { readLine } from '../../cli/program.ts';
import { run } from './command.ts';

export function helpOf(...argv: readonly string[]): string {
  const answer = readLine(argv, 80);
  return 'text' in answer ? answer.text : '';
}

const line = `${'-'.repeat(80)}\n\n`;

export const goldenHelp = (): string =>
  [helpOf('--help'), helpOf('run', '--help'), helpOf('client', '--help')].join(`\n${line}`);

/** A requirement of each kind and each way to ask for it, the other kinds of ids, sections and words. */
const explained =
  'pet-name-kept error-not-empty auth-missing-key auth-invalid-key rate-exceeded create-body-utf8 service-staging-paths any-list-order status-omitted store-orders refused-yet-stored §4.2 9 404';

export async function goldenExplanations(): Promise<string> {
  const texts: string[] = [];
  for (const id of explained.split(' ')) texts.push((await run(['explain', id])).stdout);
  return texts.join(line);
}
