/** Ends a command whose npm was ended: npm passes a signal on to the shell between them, which ends alone. */

const lookEveryMs = 500;

/** Whether npm started this process and waits for it: npx, or a script that leaves nothing in the background. */
function isAwaitedByNpm({ npm_lifecycle_script: script }: NodeJS.ProcessEnv): boolean {
  return script !== undefined && !/(?<!&)&(?!&)/.test(script);
}

/** Acts as on SIGTERM as soon as the parent of this process is gone, if npm started it. */
export function endWithNpm(): void {
  if (!isAwaitedByNpm(process.env)) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    // Unlike a signal, this does nothing where one has come before.
    process.emit('SIGTERM', 'SIGTERM');
  }, lookEveryMs);
  timer.unref();
}
