/** Finds and ends the processes that a command has started, whichever session they have moved to. */

import { readdirSync, readFileSync } from 'node:fs';

/** Ends a process group; `pid` leads it. */
export function killGroup(pid: number | undefined): void {
  if (pid !== undefined) tryToKill(-pid);
}

/** Whether a process or group could be signalled; one that is gone could not. */
function tryToKill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark);
  } catch {
    // It is gone, or belongs to somebody else.
    return false;
  }
}

function markedProcesses(mark: string): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid && hasMark(pid, mark));
  } catch {
    // Only Linux shows environments in /proc.
    return [];
  }
}

/** A process may start another one while it is being ended. */
const mostRounds = 5;

/**
 * Ends all processes with an assignment such as `NAME=value` in their environment; returns those that could not be
 * signalled. A process that was signalled ends once the system lets it run, which may be later on a busy machine.
 */
export function killMarked(mark: string): readonly number[] {
  const killed = new Set<number>();
  for (let round = 0; round < mostRounds; round += 1) {
    const found = markedProcesses(mark).filter((pid) => !killed.has(pid));
    const ended = found.filter(tryToKill);
    if (ended.length === 0) return found;
    for (const pid of ended) killed.add(pid);
  }
  return markedProcesses(mark).filter((pid) => !killed.has(pid));
}
