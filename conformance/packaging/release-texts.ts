/** The texts of a release: complaints, changelog, notes, addresses in the recipes, bill of materials. */

export interface Manifest {
  readonly [field: string]: unknown;
}

/** The members of package.json that must be filled in before anything is published. */
const neededFields = ['author', 'bugs', 'homepage', 'keywords', 'repository'] as const;

/** Why nothing can be released, undefined if it can. */
export function complaintOf(manifest: Manifest, version: string, changelog: string): string | undefined {
  if (!/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version))
    return `"${version}" is no version, such as 1.2.3 or 1.2.3-rc.1.`;
  const missing = neededFields.filter((field) => manifest[field] === undefined);
  if (missing.length > 0) return `Fill in ${missing.join(', ')} in package.json first.`;
  if (changelog.includes(`\n## ${version} (`)) return `CHANGELOG.md has a section for ${version} already.`;
  if (unreleasedOf(changelog) === '') return 'CHANGELOG.md has nothing under "Unreleased".';
  return undefined;
}

export function unreleasedOf(changelog: string): string {
  const [, after = ''] = changelog.split(/^## Unreleased\n/m);
  return (after.split(/^## /m)[0] ?? '').trim();
}

export function closeUnreleased(changelog: string, version: string, day: string): string {
  return changelog.replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} (${day})\n`);
}

/** Owner and name of a repository at GitHub, undefined elsewhere. */
function slugOf({ repository }: Manifest): string | undefined {
  const address = typeof repository === 'string' ? repository : (repository as { readonly url?: string }).url;
  return /(?:^github:|github\.com[/:])([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(address ?? '')?.[1];
}

/** A recipe or a page whose addresses lead to this version of this repository. */
export function withAddresses(text: string, manifest: Manifest, version: string): string {
  const slug = slugOf(manifest);
  const named =
    slug === undefined
      ? text
      : text.replaceAll(/[\w.-]+\/[\w.-]+(?=\/\.github\/actions\/conformance@v|\/releases\/download\/v)/g, slug);
  const versioned = named.replaceAll(/(?<=\/actions\/conformance@v|\/releases\/download\/v)\d[\w.-]*/g, version);
  return versioned.replaceAll(/(?<=petstore-conformance-)\d[\w.-]*?(?=\.tgz)/g, version);
}

export function notesFor(version: string, changes: string, checksums: string): string {
  return `# petstore-conformance ${version}

${changes}

## Files

\`petstore-conformance.mjs\` is the kit as one file, the tarball is what npm installs, and \`petstore-conformance.cdx.json\`
lists the libraries that are built in (CycloneDX). Their SHA-256 checksums, for \`sha256sum -c\`:

\`\`\`
${checksums.trim()}
\`\`\`
`;
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly 'bom-ref': string;
  readonly properties?: unknown;
}

/** The part of a CycloneDX document that is changed here. */
export interface BillOfMaterials {
  readonly metadata: { readonly component: object };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

/**
 * The bill of materials of the published package. npm lists every package of the lockfile, and calls all of them development
 * packages, since the build puts libraries into the code.
 */
export function billOfBundled(bill: BillOfMaterials, bundled: readonly string[], own: string): BillOfMaterials {
  const kept = bill.components.filter(({ name, version }) => bundled.includes(`${name} ${version}`));
  const refs = new Set(kept.map((component) => component['bom-ref']));
  const dependencies = bill.dependencies.filter(({ ref }) => refs.has(ref));
  return {
    ...bill,
    metadata: { ...bill.metadata, component: { ...bill.metadata.component, name: own } },
    components: kept.map((component) => ({ ...component, properties: [] })),
    dependencies: dependencies.map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => refs.has(one)),
    })),
  };
}
