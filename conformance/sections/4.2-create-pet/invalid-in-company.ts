/** §4.2 Invalid bodies in which everything else is unusual: careless services look at one field only if others are plain. */

import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../http/json.ts';
import { readNewPet, readRequestJson } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Session } from '../../run/session.ts';
import { shuffle } from '../orders.ts';
import { oddCharacters, strangeTexts } from '../strange-texts.ts';
import { learnedAcceptance } from './creations.ts';
import {
  damageStatus,
  type Parts,
  pick,
  rareCategories,
  rareStatuses,
  wrongCategories,
  wrongNames,
  wrongStatuses,
} from './invalid-values.ts';
import { maySend } from './names.ts';

const missing = Symbol('missing');
type Value = JsonValue | typeof missing;

/** One invalid field: its values are drawn by class. */
interface Mistake {
  readonly field: 'name' | 'categoryId' | 'status';
  readonly draw: (random: () => number) => Value;
}

/** One mistake for each class of wrong values: missing, null, and every JSON type and way to miss the listed values. */
function mistakesFor(categoryId: bigint, isStrangeAllowed: boolean): readonly Mistake[] {
  const ofType = (values: readonly JsonValue[]): readonly (readonly JsonValue[])[] => [
    ...Map.groupBy(values, (value) =>
      value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value,
    ).values(),
  ];
  const texts = strangeTexts.filter((text) => isStrangeAllowed || /^[\w.+-]+$/.test(text));
  const drawnFrom = (field: Mistake['field'], values: readonly JsonValue[]): readonly Mistake[] =>
    ofType(values).map((alike) => ({ field, draw: (random) => pick(alike, random) }));
  const categories = [null, ...wrongCategories(categoryId), ...rareCategories(categoryId)];
  return [
    { field: 'name', draw: () => missing },
    ...drawnFrom('name', wrongNames),
    { field: 'categoryId', draw: () => missing },
    ...drawnFrom('categoryId', categories),
    { field: 'categoryId', draw: (random) => pick(texts, random) },
    ...drawnFrom('status', [null, ...wrongStatuses, ...rareStatuses]),
    { field: 'status', draw: damageStatus },
    { field: 'status', draw: (random) => pick(texts, random) },
  ];
}

/** Whether the target takes unknown fields. One that refuses them would refuse every body that has some. */
type Unknown = 'taken' | 'refused';

function unknownFieldsOf(session: Session): Unknown {
  const isTaken = session.exchanges.some(
    (exchange) => statusOf(exchange) === 201 && readNewPet(exchange).kind === 'open' && hasUnknownField(exchange),
  );
  return isTaken ? 'taken' : 'refused';
}

function hasUnknownField({ request }: Exchange): boolean {
  const reading = readRequestJson(request);
  const fields = 'value' in reading && isJsonObject(reading.value) ? Object.keys(reading.value) : [];
  return fields.some((field) => !['name', 'categoryId', 'status'].includes(field));
}

function unknownFieldsAt(at: number): JsonObject {
  return [{}, { colour: 'brown', keeper: null, isTame: true }, { id: 1n, toys: [1n, { a: null }] }][at % 3]!;
}

/** The other fields of a body, alternately plain and as unusual as the target accepts. */
function drawRest({ name, categoryId, mark }: Parts, session: Session, at: number, unknown: Unknown): JsonObject {
  const { takesHardNames, takesOtherCategories } = learnedAcceptance(session);
  const hard = `${name()} große 漢字 🦄 ${'long name '.repeat(4)}`;
  const isHard = at % 2 === 0 && takesHardNames && maySend(session, hard);
  const far = [-9n, 2n ** 53n + 1n, mark(), 0n][at % 4]!;
  const more = unknown === 'refused' ? {} : unknownFieldsAt(at);
  return { name: isHard ? hard : name(), categoryId: takesOtherCategories ? far : categoryId, ...more };
}

/** Values of invalid bodies in several fields at once, and bodies with little else. */
function combinedMistakes({ name, categoryId }: Parts): readonly JsonObject[] {
  return [
    { name: name(), categoryId: 'x', status: 'lost' },
    { name: 7n, categoryId, status: 'lost' },
    { name: null, categoryId: null, status: null },
    { name: {}, categoryId: [], status: 0n },
    { status: 'sold' },
    { colour: 'brown', id: 1n },
    { name: name(), categoryId, status: oddCharacters },
    { name: name(), categoryId: oddCharacters },
    { name: [oddCharacters], categoryId },
    { name: name(), categoryId, status: 'x'.repeat(300) },
    { name: name(), categoryId: '7'.repeat(300), status: 'pending' },
    { name: { first: name() }, categoryId: { id: categoryId }, status: { is: 'sold' } },
  ];
}

/** The statuses that accompany an invalid value: none, and each. */
const companions: readonly (PetStatus | typeof missing)[] = [missing, ...petStatuses];
/** A body with an invalid status has no room for a valid one: it is sent with two kinds of unknown fields instead. */
const restsOfStatuses = [1, 2];

/** Each mistake with every status and without one, and with the fields in both orders. */
export function bodiesInCompany(parts: Parts, session: Session): readonly JsonObject[] {
  const { random } = session;
  const mistakes = mistakesFor(parts.categoryId, session.settings.isDisposable);
  const unknown = unknownFieldsOf(session);
  const cross = (some: readonly Mistake[], rests: readonly number[]): readonly JsonObject[] =>
    shuffle(
      some.flatMap((mistake) => rests.map((at) => ({ ...mistake, at }))),
      random,
    ).map(({ field, draw, at }, place) => {
      // The unknown fields follow `at` alone. The name and the category follow `place`: four places cover all of them.
      const rest = drawRest(parts, session, 4 * at + 9 * place, unknown);
      const fields = { ...rest, status: companions[at], [field]: draw(random) };
      const entries = Object.entries(fields).filter((entry): entry is [string, JsonValue] => entry[1] !== missing);
      return Object.fromEntries(random() < 0.5 ? entries : entries.reverse());
    });
  const isOfStatus = ({ field }: Mistake): boolean => field === 'status';
  return [
    ...combinedMistakes(parts),
    ...cross(
      mistakes.filter((mistake) => !isOfStatus(mistake)),
      companions.keys().toArray(),
    ),
    // Fewer combinations depend on an invalid status, so these come last.
    ...cross(mistakes.filter(isOfStatus), restsOfStatuses),
  ];
}
