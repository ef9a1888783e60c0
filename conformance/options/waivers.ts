/** Reads waivers: failures that a team accepts until a day. */

import { type AnyRequirementId, clientRequirements } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import { meaningOf } from '../../spec/failure-codes.ts';
import { requirements } from '../../spec/requirements.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Waiver, Waivers } from '../verdict/waivers.ts';
import { isDay, shown } from './readers.ts';

function readEntry(entry: unknown, at: number, place: string): readonly [AnyRequirementId, Waiver] {
  const fields = (typeof entry === 'object' && entry !== null ? entry : {}) as Readonly<Record<string, unknown>>;
  const refuse = (why: string, subject = `Waiver ${at + 1}`): never => {
    throw new UsageError(`${subject} in ${place} ${why}`);
  };
  const isEmpty = (field: string): boolean => `${fields[field] ?? ''}`.trim() === '';
  const text = (field: string): string => {
    const value = fields[field];
    if (typeof value === 'string' && !isEmpty(field)) return value;
    return refuse(`needs a text as its ${field}: each has id, reason, owner, expires.`);
  };
  const id =
    [...requirements, ...clientRequirements].find((one) => one.id === text('id'))?.id ??
    refuse(`names no requirement with "${shown(text('id'))}"; petstore-conformance explain lists them.`);
  const empty = ['owner', 'reason'].filter(isEmpty).join(' and no ');
  if (empty !== '') {
    refuse(`has no ${empty}: fill in who mends the failure and why it is accepted.`, `The waiver of ${id}`);
  }
  const expires = text('expires');
  if (!isDay(expires)) refuse(`must expire on a day like 2027-01-31, not "${shown(expires)}".`);
  const code = fields['code'] === undefined ? undefined : text('code');
  if (code !== undefined && meaningOf(code) === undefined) refuse(`names no failure code with "${shown(code)}".`);
  return [id, defined({ reason: text('reason'), owner: text('owner'), expires, code })];
}

/** Reads a list of waivers, the content of a file or what a program gives; `place` names it in a sentence. */
export function readWaiverList(entries: unknown, place: string): Waivers {
  if (!Array.isArray(entries)) {
    throw new UsageError(`${place} must hold a list of waivers, each with id, reason, owner, expires.`);
  }
  const read = entries.map((entry, at) => readEntry(entry, at, place));
  const keys = read.map(([id, { code = '' }]) => `${id} ${code}`.trimEnd());
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) throw new UsageError(`${place} waives ${twice} twice: keep one of them.`);
  const byId = Map.groupBy(read, ([id]) => id);
  return new Map([...byId].map(([id, own]) => [id, own.map(([, waiver]) => waiver)]));
}
