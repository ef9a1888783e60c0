/** The name and the version of the kit; a test holds the version to package.json. */
export const kit = { name: 'petstore-conformance', version: '0.1.0' } as const;
