/** Reads the option of `client` that names the answers of a service: no other command loads the gaps' services. */

import { gaps } from '../../spec/gaps.ts';
import { isReferenceChoice } from '../clients/compatibility.ts';
import { shown } from '../options/readers.ts';
import { suggest } from '../options/suggest.ts';
import { UsageError } from '../run/usage-error.ts';
import { readYaml } from './yaml-file.ts';

/** Reads the answers of a service to gaps, as the reporter profile writes them. */
export async function readGapProfile(file: string): Promise<Readonly<Record<string, string>>> {
  const refuse = (why: string): never => {
    throw new UsageError(`The profile ${file} ${why}`);
  };
  const profile = (await readYaml(file, 'The profile')) ?? {};
  if (typeof profile !== 'object' || Array.isArray(profile)) {
    return refuse('must hold a line such as "list-order: newest-first" for each gap.');
  }
  const ids = gaps.map((one) => one.id);
  for (const [id, answer] of Object.entries(profile)) {
    const gap = gaps.find((one) => one.id === id) ?? refuse(`names no gap with "${shown(id)}".${suggest(id, ids)}`);
    // A size may follow the answer. An object may have a member toString, which String would call.
    const text = typeof answer === 'object' ? '{…}' : String(answer);
    const [answerId = '', ...size] = text.split(' ');
    const isKnown = Object.hasOwn({ ...gap.answers, ...gap.others }, answerId);
    if (isKnown && (size.length === 0 || isReferenceChoice(id, text))) continue;
    refuse(`has no answer to ${id} with "${shown(text)}".`);
  }
  return profile as Readonly<Record<string, string>>;
}
