/** The name and the version of the kit. */

import manifest from '../../package.json' with { type: 'json' };

export const kit = { name: 'petstore-conformance', version: manifest.version } as const;
