/** The optional Pact packages. They are large, so users install them only when they need them. */

const versions = { '@pact-foundation/pact': 17, '@pact-foundation/pact-core': 20 } as const;

/** The sentence that says what to install; undefined if the package is installed. */
export function missingPeer(name: keyof typeof versions): string | undefined {
  try {
    import.meta.resolve(name);
    return undefined;
  } catch {
    return `This needs a package that is not installed: npm install --save-dev ${name}@${versions[name]}`;
  }
}
