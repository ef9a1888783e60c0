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
  const text = (field: string): string => {
    const value = fields[field];
    if (typeof value === 'string' && value.trim() !== '') return value;
    throw new UsageError(
      `Waiver ${at + 1} in ${place} needs a text as its ${field}: each has id, reason, owner, expires.`,
    );
  };
  const id = [...requirements, ...clientRequirements].find((one) => one.id === text('id'))?.id;
  if (id === undefined) {
    throw new UsageError(
      `Waiver ${at + 1} in ${place} names no requirement with "${shown(text('id'))}"; petstore-conformance explain lists them.`,
    );
  }
  const empty = (['owner', 'reason'] as const).filter((field) => `${fields[field] ?? ''}`.trim() === '');
  if (empty.length > 0) {
    throw new UsageError(
      `The waiver of ${id} in ${place} has no ${empty.join(' and no ')}: fill in who mends the failure and why it is accepted.`,
    );
  }
  const expires = text('expires');
  if (!isDay(expires)) {
    throw new UsageError(`Waiver ${at + 1} in ${place} must expire on a day like 2027-01-31, not "${shown(expires)}".`);
  }
  const code = fields['code'] === undefined ? undefined : text('code');
  if (code !== undefined && meaningOf(code) === undefined) {
    throw new UsageError(`Waiver ${at + 1} in ${place} names no failure code with "${shown(code)}".`);
  }
  return [id, defined({ reason: text('reason'), owner: text('owner'), expires, code })];
}

/** Reads a list of waivers, the content of a file or what a program gives; `place` names it in a sentence. */
export function readWaiverList(entries: unknown, place: string): Waivers {
  if (!Array.isArray(entries)) {
    throw new UsageError(`${place} must hold a list of waivers, each with id, reason, owner, expires.`);
  }
  const read = entries.map((entry, at) => readEntry(entry, at, place));
  const key = ([id, { code = '' }]: (typeof read)[number]): string => `${id} ${code}`.trimEnd();
  const twice = read.find((one, at) => read.findIndex((other) => key(other) === key(one)) !== at);
  if (twice !== undefined) throw new UsageError(`${place} waives ${key(twice)} twice: keep one of them.`);
  const byId = Map.groupBy(read, ([id]) => id);
  return new Map([...byId].map(([id, entries]) => [id, entries.map(([, waiver]) => waiver)]));
}
