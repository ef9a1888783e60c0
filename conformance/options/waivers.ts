/** Reads waivers: failures that a team accepts until a day. */

import { type AnyRequirementId, clientRequirements } from '../../spec/client-requirements.ts';
import { requirements } from '../../spec/requirements.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Waiver, Waivers } from '../verdict/verdict.ts';
import { isDay, shown, type ValueType } from './readers.ts';
import { suggest } from './suggest.ts';

/** What each field of a waiver says. */
const fieldMeanings = {
  id: 'the requirement that fails',
  reason: 'why the failure is accepted',
  owner: 'who mends it',
  expires: 'until when, like 2027-01-31',
} as const;

const waivableIds = [...requirements, ...clientRequirements].map(({ id }) => id);

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function readWaiver(entry: unknown, at: number, place: string): readonly [AnyRequirementId, Waiver] {
  const fields = Object(entry) as Readonly<Record<string, unknown>>;
  const { id: given, covers } = fields;
  const refuse = (why: string): never => {
    const name = typeof given === 'string' ? ` (${shown(given)})` : '';
    throw new UsageError(`Waiver ${at + 1}${name} in ${place} ${why}`);
  };
  const text = (field: keyof typeof fieldMeanings): string => {
    const value = fields[field];
    if (typeof value === 'string' && value.trim() !== '') return value;
    return refuse(`has no ${field}: fill in ${fieldMeanings[field]}.`);
  };
  const named = text('id');
  const id = waivableIds.find((one) => one === named);
  if (id === undefined) {
    return refuse(`names no requirement: petstore-conformance explain lists them.${suggest(named, waivableIds)}`);
  }
  const waiver = { reason: text('reason'), owner: text('owner'), expires: text('expires') };
  if (!isDay(waiver.expires)) refuse(`must expire on a day like 2027-01-31, not "${shown(waiver.expires)}".`);
  if (covers === undefined) return [id, waiver];
  if (isTextList(covers)) return [id, { ...waiver, covers }];
  const everyWay = 'leave covers out for every way of failing';
  return refuse(`must cover a list of texts, as the reporter waivers writes them; ${everyWay}.`);
}

/** Reads a list of waivers, the content of a file or what a program gives; `place` names it in a sentence. */
export function readWaiverList(entries: unknown, place: string): Waivers {
  if (!Array.isArray(entries)) {
    throw new UsageError(`${place} must hold a list of waivers, each with id, reason, owner, expires.`);
  }
  const read = entries.map((entry, at) => readWaiver(entry, at, place));
  const ids = read.map(([id]) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined) throw new UsageError(`${place} waives ${twice} twice: keep one of them.`);
  return new Map(read);
}

/** A command line names a file that holds waivers; a program gives them. */
export const waivers: ValueType<Waivers> = {
  read: () => {
    throw new Error('The content of the file is read, not its name.');
  },
  readContent: readWaiverList,
};
