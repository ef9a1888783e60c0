/** Reads waivers: failures that a team accepts until a day. */

import { type AnyRequirementId, clientRequirements } from '../../spec/client-requirements.ts';
import { requirements } from '../../spec/requirements.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Waiver, Waivers } from '../verdict/verdict.ts';
import { isDay, shown, type ValueType } from './readers.ts';

function readWaiver(entry: unknown, at: number, place: string): readonly [AnyRequirementId, Waiver] {
  const fields = (typeof entry === 'object' && entry !== null ? entry : {}) as Readonly<Record<string, unknown>>;
  const refuse = (why: string): never => {
    const { id } = fields;
    throw new UsageError(`Waiver ${at + 1}${typeof id === 'string' ? ` (${shown(id)})` : ''} in ${place} ${why}`);
  };
  const text = (field: string): string => {
    const value = fields[field];
    if (typeof value === 'string' && value.trim() !== '') return value;
    return refuse(`has no ${field}: fill in who mends the failure, why it is accepted, and until when.`);
  };
  const id =
    [...requirements, ...clientRequirements].find((one) => one.id === text('id'))?.id ??
    refuse('names no requirement; petstore-conformance explain lists them.');
  const expires = text('expires');
  if (!isDay(expires)) refuse(`must expire on a day like 2027-01-31, not "${shown(expires)}".`);
  const { covers } = fields;
  if (covers !== undefined && !(Array.isArray(covers) && covers.every((way) => typeof way === 'string'))) {
    refuse(
      'must cover a list of texts, as the reporter waivers writes them; leave covers out for every way of failing.',
    );
  }
  const waiver = { reason: text('reason'), owner: text('owner'), expires };
  return [id, covers === undefined ? waiver : { ...waiver, covers: covers as readonly string[] }];
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
