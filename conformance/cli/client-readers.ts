/** Reads the options of `client` that name service variants or the answers of a service: no other command loads those. */

import { gaps } from '../../spec/gaps.ts';
import { isReferenceChoice } from '../clients/compatibility-runs.ts';
import { referenceVariant, type ServiceVariant, variantWith } from '../clients/service-variant.ts';
import { variations } from '../clients/variations/index.ts';
import { shown } from './readers.ts';
import { suggest } from './suggest.ts';
import { UsageError } from './usage-error.ts';
import { readYaml } from './yaml-file.ts';

/** Reads the name of a service variant, as a report shows it: one variation or more, with a plus sign between them. */
export function readServiceVariant(text: string): ServiceVariant {
  if (text === referenceVariant.id) return referenceVariant;
  const named = text.split(/\s\+\s/).map((id) => {
    const found = variations.find((variation) => variation.id === id.trim());
    if (found !== undefined) return found;
    const known = [referenceVariant.id, ...variations.map((variation) => variation.id)];
    throw new UsageError(
      `--serve takes the name of a service, not "${shown(id.trim())}"; petstore-conformance explain any-list-order shows some.${suggest(id, known)}`,
    );
  });
  return variantWith(named);
}

/** Reads the answers of a service to gaps, as `profile` writes them. */
export function readGapProfile(file: string): Readonly<Record<string, string>> {
  const profile = readYaml(file, 'The profile') ?? {};
  if (typeof profile !== 'object' || profile === null || Array.isArray(profile)) {
    throw new UsageError(`The profile ${file} must hold a line such as "list-order: newest-first" for each gap.`);
  }
  for (const [id, answer] of Object.entries(profile)) {
    const gap = gaps.find((one) => one.id === id);
    if (gap === undefined) {
      throw new UsageError(
        `The profile ${file} names no gap with "${shown(id)}".${suggest(
          id,
          gaps.map((one) => one.id),
        )}`,
      );
    }
    // A size may follow the answer. An object may have a member toString, which String would call.
    const text = typeof answer === 'object' ? '{…}' : String(answer);
    const [answerId = '', ...size] = text.split(' ');
    const isKnown = Object.hasOwn({ ...gap.answers, ...gap.others }, answerId);
    if (!isKnown || (size.length > 0 && !isReferenceChoice(id, text))) {
      throw new UsageError(`The profile ${file} has no answer to ${id} with "${shown(text)}".`);
    }
  }
  return profile as Readonly<Record<string, string>>;
}
