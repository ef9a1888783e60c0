/** The optional Pact packages. They are large, so users install them only when they need them. */

const versions = {
  '@pact-foundation/pact': 17,
  '@pact-foundation/pact-core': 20,
} as const;

type Peer = keyof typeof versions;

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/** The sentence that says what to install; undefined if the package is installed. */
export function missingPeer(name: Peer): string | undefined {
  if (isInstalled(name)) return undefined;
  return `This needs a package that is not installed: npm install --save-dev ${name}@${versions[name]}`;
}
