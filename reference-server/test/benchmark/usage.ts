/** Preloaded into a peer: reports its usage to the parent process, and exits with it. */

process.on('disconnect', () => process.exit());
process.on('message', (asked) => {
  if (asked === 'memory') globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ cpuMs: (user + system) / 1000, heldBytes: heapUsed + external });
});
