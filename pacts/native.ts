/** The process of the native verifier: it writes what it reads, hostile text included, to its standard output. */

import core from '@pact-foundation/pact-core';
import type { NativeOptions } from './verifier.ts';

/** CommonJS: what is default there is a field of the default here. */
const { default: pact } = core;

process.on('message', (options: NativeOptions) => {
  // It rejects where something fails, with the same JSON as its message.
  pact.verifyPacts(options).then(
    (result) => process.send?.(String(result)),
    (error: unknown) => process.send?.(error instanceof Error ? error.message : String(error)),
  );
});
process.on('disconnect', () => process.exit());
