/** Values of petId (§4.3) that careless services mistake for the id of an animal. */

import { isInt64 } from '../../http/json.ts';

/** Turns an id into another int64 that truncation, a lost sign or rounding turns back. */
const aliases: readonly ((id: bigint) => bigint)[] = [
  (id) => id + 2n ** 32n,
  (id) => id + 2n ** 53n,
  (id) => -id,
  (id) => id - 2n ** 32n,
  (id) => BigInt(Number(id)),
  (id) => BigInt.asIntN(53, id),
];

/** Ids of no animal that a careless service mistakes for one of these. */
export function aliasesOf(ids: readonly bigint[]): readonly bigint[] {
  const [first] = ids;
  if (first === undefined) return [];
  return aliases
    .map((alias, at) => alias(ids[at % ids.length] ?? first))
    .filter((id) => isInt64(id) && !ids.includes(id));
}

/** Marks that a path segment may hold (RFC 3986, 3.3), and an escaped #; `.` and `,` come with more, `+` may be a space, `;` begins a parameter. */
const marks = [...'-~!&*:$@', '%23'] as const;

/** Path segments that are no int64, and that a careless parser cuts, wraps or strips to an id. */
export const disguises: readonly ((id: bigint) => string)[] = [
  ...marks.map((mark) => (id: bigint) => `${id}${mark}`),
  (id) => `${id}:1`,
  (id) => `${id}n`,
  (id) => `${id}%00`,
  (id) => `${id}%20or%201`,
  (id) => `${id}%25`,
  (id) => `${id}%7C${id}`,
  (id) => `%22${id}%22`,
  (id) => `'${id}'`,
  (id) => `(${id})`,
  (id) => `%5B${id}%5D`,
  (id) => `%7B${id}%7D`,
  (id) => `id=${id}`,
  (id) => `x${id}`,
  (id) => `--${id}`,
  (id) => `${id}e-1`,
  (id) => `${id}.${id}`,
  (id) => String(2n ** 64n + id),
  (id) => String(2n ** 63n + BigInt.asUintN(63, id)),
  (id) => String(-(2n ** 64n) - BigInt.asUintN(63, id)),
  () => '%25',
  () => '*',
  () => 'latest',
  () => 'NaN',
  () => 'undefined',
  () => 'true',
  () => '-',
  () => 'constructor',
  () => '__proto__',
  () => 'null',
  () => '1e400',
  () => '9'.repeat(400),
  () => 'a'.repeat(1_500),
  () => '%F0%9F%A6%84',
  () => 'caf%C3%A9',
  () => '%00',
  () => '%0A',
];
