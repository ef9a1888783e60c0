/** The oldest Node that has everything the kit uses; it loads nothing, and is built for the oldest Node that a machine may have. */

const oldestNode = [22, 18] as const;

/** The version that npm brings, by its package `node`. */
const offeredNode = 24;

/** Node up to this version comes with npm 6. Its npx asks nothing, and takes --yes for an option with a value. */
const lastWithNpm6 = 14;

/** A sentence that names the Node that is needed, with the command that brings one. */
function neededNode(program: string, found: string, npx: string, file = 'FILE'): string {
  const needed = `${program} needs Node ${oldestNode.join('.')} or newer`;
  return `${needed}${found}: ${npx} node@${offeredNode} ${file} runs it with another.`;
}

/** The sentence for a Node that is too old; undefined where this one is new enough. */
export function complaintOfNode(program = 'petstore-conformance'): string | undefined {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return undefined;
  const npx = major <= lastWithNpm6 ? 'npx' : 'npx --yes';
  return neededNode(program, `, and this is ${node}`, npx, process.argv[1]);
}

/** The sentence for a Node 12 or 13 that cannot read a file. It names no version, since no code runs there. */
export const unreadableHere: string = neededNode('petstore-conformance', '', 'npx');
