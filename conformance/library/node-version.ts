/** The oldest Node that has everything the kit uses; it loads nothing, and is built for the oldest Node that a machine may have. */

const oldestNode = [22, 18] as const;

/** The version that npm brings, by its package `node`. */
const offeredNode = 24;

/** The sentence for a Node that is too old, with the command that brings another. */
export function neededNode(program = 'petstore-conformance', found = '', file = 'FILE'): string {
  return `${program} needs Node ${oldestNode.join('.')} or newer${found}: npx --yes node@${offeredNode} ${file} runs it with another.`;
}

/** That sentence, where this Node is too old; undefined where it is new enough. */
export function complaintOfNode(program?: string): string | undefined {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return undefined;
  return neededNode(program, `, and this is ${node}`, process.argv[1]);
}
