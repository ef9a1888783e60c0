/** The help as a terminal of eighty columns shows it: of the program, and of its commonest command. */

import { readLine } from '../../cli/program.ts';

export function helpOf(...argv: readonly string[]): string {
  const answer = readLine(argv, 80);
  return 'text' in answer ? answer.text : '';
}

export const goldenHelp = (): string => `${helpOf('--help')}\n${'-'.repeat(80)}\n\n${helpOf('run', '--help')}`;
