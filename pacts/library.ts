/** The library of Pact for consumers. It reports its use unless it is told not to before it is loaded: here alone. */

import { missingPeer } from './peers.ts';

process.env['PACT_DO_NOT_TRACK'] = 'true';

const missing = missingPeer('@pact-foundation/pact');
if (missing !== undefined) throw new Error(missing);

export const { MatchersV3, PactV4 } = await import('@pact-foundation/pact');
