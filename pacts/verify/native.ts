/** The child process that runs Pact's native verifier, which echoes hostile text to its standard output. */

import type { VerifierOptions } from '@pact-foundation/pact-core';
import core from '@pact-foundation/pact-core';

/** The package is CommonJS, so its default export is a field of the default import. */
const { default: pact } = core;

const verifyNatively = async (options: VerifierOptions): Promise<unknown> => pact.verifyPacts(options);
process.on('message', async (options: VerifierOptions) => {
  // It also rejects when an interaction fails, with the same JSON as its message.
  process.send?.(String(await verifyNatively(options).catch(({ message }: Error) => message)));
});
process.on('disconnect', () => process.exit());
