/** Loads Pact's consumer library. It reports its use to its makers unless this variable is set before it is loaded. */

import { missingPeer } from './peers.ts';

process.env['PACT_DO_NOT_TRACK'] = 'true';

const missing = missingPeer('@pact-foundation/pact');
if (missing !== undefined) throw new Error(missing);

export const { MatchersV3, PactV4 } = await import('@pact-foundation/pact');
