/** The oldest Node that has everything the kit uses; it loads nothing, so an older Node can read it. */

const oldestNode = [22, 18] as const;

/** The sentence for a Node that is too old, undefined where it is new enough. */
export function complaintOfNode(program = 'petstore-conformance'): string | undefined {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return undefined;
  return `${program} needs Node ${oldestNode.join('.')} or newer, and this is ${node}.`;
}
