/** A page as a tree of elements, for tests that ask what is where. */

import { XMLParser } from 'fast-xml-parser';
import * as assert from 'uvu/assert';

/** An element of the page, or a text in it. */
export interface Node {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Node[];
  readonly text: string;
}

type Parsed = Readonly<Record<string, unknown>>;

function toNode(parsed: Parsed): Node {
  const { ':@': given = {}, ...element } = parsed;
  const [[tag = '', content] = []] = Object.entries(element);
  if (tag === '#text') return { tag, attributes: {}, children: [], text: String(content) };
  const children = (content as readonly Parsed[]).map(toNode);
  const attributes = Object.fromEntries(
    Object.entries(given as Record<string, string>).map(([name, value]) => [name.slice(2), value]),
  );
  return { tag, attributes, children, text: children.map(({ text }) => text).join('') };
}

export function parse(html: string): Node {
  const parser = new XMLParser({
    ignoreAttributes: false,
    htmlEntities: true,
    trimValues: false,
    parseTagValue: false,
    preserveOrder: true,
  });
  const roots: readonly Parsed[] = parser.parse(html.replace('<!doctype html>', ''));
  return { tag: '', attributes: {}, children: roots.map(toNode), text: '' };
}

/** All elements of a kind, however deep. */
export function all(node: Node, tag: string): readonly Node[] {
  return node.children.flatMap((child) => [...(child.tag === tag ? [child] : []), ...all(child, tag)]);
}

/** Everything in an element, however deep. */
export function descendants(node: Node): readonly Node[] {
  return node.children.flatMap((child) => [child, ...descendants(child)]);
}

export function withClass(node: Node, name: string): readonly Node[] {
  return descendants(node).filter(({ attributes }) => attributes['class']?.split(' ').includes(name));
}

export function elementOf(within: Node, id: string): Node {
  const found = descendants(within).find(({ attributes }) => attributes['id'] === id);
  assert.ok(found !== undefined, id);
  return found;
}

export function texts(nodes: readonly Node[]): readonly string[] {
  return nodes.map(({ text }) => text);
}

/** The terms of a list and what is said of each. */
export function facts(node: Node): Readonly<Record<string, string>> {
  const words = all(node, 'dd').map(({ text }) => text);
  return Object.fromEntries(all(node, 'dt').map(({ text }, at) => [text, words[at]!]));
}
