/** The process of the native verifier: it writes what it reads, hostile text included, to its standard output. */

import core from '@pact-foundation/pact-core';
import type { NativeOptions } from './verifier.ts';

/** CommonJS: what is default there is a field of the default here. */
const { default: pact } = core;

process.on('message', async (options: NativeOptions) => {
  try {
    process.send?.(String(await pact.verifyPacts(options)));
  } catch (error) {
    // It rejects where an interaction fails too, with the same JSON as its message.
    process.send?.(error instanceof Error ? error.message : String(error));
  }
});
process.on('disconnect', () => process.exit());
