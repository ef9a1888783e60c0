/** What the kit is called, and its version. */

/** The version is that of package.json. */
export const kit = { name: 'petstore-conformance', version: '0.1.0' } as const;
