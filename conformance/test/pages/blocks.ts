/** The pages of the project, and the blocks of code in them. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = new URL('../../..', import.meta.url).pathname;

const patterns = ['*.md', '.github/*.md', '{spec,pacts,conformance,reference-server}/*.md', 'conformance/ci/*.md'];

/** Paths of all pages, relative to the root. */
export const pages = patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).sort();

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** The addresses of the headings of a text, as GitHub makes them. */
export function anchorsIn(text: string): readonly string[] {
  const headings = [...text.toLowerCase().matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) => heading.replaceAll(/[^\p{L}\p{N} -]/gu, '').replaceAll(' ', '-'));
}

/** Where the links and pictures of a text lead, except to other sites. */
export function linksIn(text: string): readonly string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  return links.filter((link) => !/^https?:/.test(link));
}

export interface Block {
  readonly page: string;
  /** Where it begins in the page, from 1. */
  readonly line: number;
  /** As it is named behind the fence; empty for what is shown and not run. */
  readonly language: string;
  readonly code: string;
}

/** Every block of every page, in their order. */
export const blocks: readonly Block[] = pages.flatMap((page) => {
  const text = readPage(page);
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(({ index, 1: language = '', 2: code = '' }) => {
    const line = text.slice(0, index).split('\n').length;
    return { page, line, language, code };
  });
});

export function blocksOf(language: string): readonly Block[] {
  return blocks.filter((block) => block.language === language);
}

export interface Command extends Pick<Block, 'page' | 'line'> {
  /** One command of a shell, however many lines it takes, without a comment at its end. */
  readonly text: string;
  /** The variables that the same block exports before it. */
  readonly exports: readonly string[];
}

/** Every command that a page shows in a block. */
export const commands: readonly Command[] = blocksOf('sh').flatMap(({ page, line, code }) => {
  const lines = code.replaceAll(/ *\\\n */g, ' ').split('\n');
  const texts = lines.map((one) => one.replace(/(^| +)#( .*)?$/, '')).filter((one) => one !== '');
  return texts.flatMap((text, at) => {
    if (text.startsWith('export ')) return [];
    return { page, line, text, exports: texts.slice(0, at).filter((one) => one.startsWith('export ')) };
  });
});
