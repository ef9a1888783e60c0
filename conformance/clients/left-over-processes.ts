/** Ends the processes that a command has started in its group. */

/** `pid` leads the group; one that is gone cannot be signalled. */
export function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}
