/** §4.2 Valid bodies with much beside the three fields: unknown fields of every type and with every kind of name, and ids. */

import { petStatuses } from '../../../spec/operations.ts';
import { type JsonObject, writeJson } from '../../http/json.ts';
import type { Session } from '../../run/session.ts';
import { drawUnknownId, plainPet } from '../requests.ts';
import { strangeTexts, words } from '../strange-texts.ts';
import { createdIds } from './creations.ts';
import { pick, unknownFields } from './invalid-values.ts';

/** Values of unknown fields, as JSON texts: every type, empty and not, and numbers at and beyond common limits. */
const values: readonly string[] = words(
  'null true false "" [] {} 0 -1 1.5 -0.0 1e400 1E-400 9223372036854775808 -18446744073709551616',
  '123456789012345678901234567890.5 [null,[],{},"",false]',
  '{"name":"Ann","categoryId":"x","status":"lost","id":1}',
);

/** Names of unknown fields; none of them is a listed field in another spelling, which some readers take for the field. */
const fieldNames: readonly string[] = [
  '',
  ' ',
  'a b',
  ...words('a.b $set $ne @type #text a[b] a/b - 0'),
  'colour\\u0000',
  ...words(
    'größe цвет 色 🦄 __proto__ constructor toString hasOwnProperty class null undefined self type version',
    'price photoUrls metadata',
  ),
];

/** A body with further fields behind those of a plain animal, as text, since no object has some of them. */
function withFields(session: Session, fields: readonly (readonly [name: string, value: string])[]): string {
  const texts = fields.map(([name, value]) => `"${name}":${value}`);
  return `${writeJson(plainPet(session, pick(petStatuses, session.random))).slice(0, -1)},${texts.join(',')}}`;
}

/** Every kind of value, every kind of name, many fields, long ones and deep ones. */
function withUnknownFields(session: Session): readonly string[] {
  const { random } = session;
  const valueAt = (at: number): string => values[(at + Math.floor(random() * values.length)) % values.length]!;
  const texts = session.settings.isDisposable ? strangeTexts : strangeTexts.filter((text) => /^[\w.+-]+$/.test(text));
  return [
    withFields(
      session,
      values.map((value, at) => [`field${at}`, value]),
    ),
    withFields(
      session,
      fieldNames.map((name, at) => [name, valueAt(at)]),
    ),
    withFields(
      session,
      texts.map((text, at) => [`text${at}`, writeJson(text)]),
    ),
    withFields(session, [
      ['f'.repeat(300), '1'],
      ['deep', `${'['.repeat(40)}${']'.repeat(40)}`],
      ['deeper', `${'{"a":'.repeat(30)}1${'}'.repeat(30)}`],
      ['long', `"${'x'.repeat(1_500)}"`],
      ['list', `[${'7,'.repeat(200)}7]`],
    ]),
    ...unknownFields
      .slice(1)
      .map((fields) => writeJson({ ...fields, ...plainPet(session, pick(petStatuses, random)) })),
  ];
}

/** Ids of every JSON type: the service must neither fail nor use one. Two are sent twice, since animals must not share one. */
function withIds(session: Session): readonly string[] {
  const [existing = 1n] = createdIds(session);
  const ids = [
    null,
    '5',
    '',
    true,
    false,
    1.5,
    [],
    [1n],
    {},
    0n,
    0n,
    -1n,
    -1n,
    2n ** 63n,
    existing,
    drawUnknownId(session),
    String(drawUnknownId(session)),
  ];
  return ids.map((id, at): string => {
    const pet: JsonObject = plainPet(session, at % 3 === 0 ? undefined : pick(petStatuses, session.random));
    return writeJson(at % 2 === 0 ? { id, ...pet } : { ...pet, id });
  });
}

const namesOfIds = words('petId _id pet_id ID Id uuid key');

function withIdsByOtherNames(session: Session): string {
  return withFields(
    session,
    namesOfIds.map((name) => [name, String(drawUnknownId(session))]),
  );
}

export function crowdedBodies(session: Session): readonly string[] {
  return [...withUnknownFields(session), ...withIds(session), withIdsByOtherNames(session)];
}
