/** §4.2 Creates animals drawn from all classes of valid bodies: names, categories, statuses, writings and media types. */

import { defined } from '../../../spec/defined.ts';
import { petStatuses } from '../../../spec/operations.ts';
import { type JsonObject, writeJson } from '../../http/json.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { shuffle } from '../orders.ts';
import { createPetFrom, listPets, plainCategory, plainPet } from '../requests.ts';
import { boundaries, learnedAcceptance, mayCreate } from './creations.ts';
import { crowdedBodies } from './crowded-bodies.ts';
import { pick } from './invalid-values.ts';
import { rareWritings, type Writing, writeEscaped, writeFreely, writings } from './json-texts.ts';
import { drawName, drawPieces, lengths, packName, veryLong } from './name-classes.ts';
import { lookAlikeNames, maySend } from './names.ts';

/** So many animals are drawn, as far as the budget has creations left for the scenarios that follow. */
const mostDrawn = 54;
const keptCreations = 40;
/** After so many of them the pages are long, and not yet full. */
const drawnBeforeListing = 25;
/** A refused name is divided at most so often, to see which of its pieces the target accepts. */
const mostDivisions = 6;

/** The media types that mean the same as application/json. */
const mediaTypes: readonly string[] = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'Application/JSON',
  'application/json; charset="utf-8"',
];

/** The magnitudes of drawn categories: how many full bytes they fill, and their sign. */
const widths = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((bytes) => [1n, -1n].map((sign) => ({ bytes, sign })));

function cycleShuffled<Item>(items: readonly Item[], random: () => number): () => Item {
  let left: readonly Item[] = [];
  return () => {
    if (left.length === 0) left = shuffle(items, random);
    const [next, ...rest] = left;
    left = rest;
    return next!;
  };
}

type Next = () => number;

/** What is drawn: every member of the small classes once, before any comes again. */
function createDraws(session: Session) {
  const { random } = session;
  const nextBoundary = cycleShuffled(boundaries, random);
  const nextWidth = cycleShuffled(widths, random);
  // Half of the animals have a packed name: enough for every usual length once, and for some very long ones.
  const [nextUsual, nextVeryLong] = [lengths, veryLong].map((some) => cycleShuffled(some, random)) as [Next, Next];
  const nextLength = (at: number): number => (at % 12 === 0 ? nextVeryLong() : nextUsual());
  const nextWriting = cycleShuffled<Writing>([...writings, ...rareWritings, writeFreely, writeEscaped], random);
  const nextType = cycleShuffled(mediaTypes, random);
  const lookAlikes = lookAlikeNames(session)[Symbol.iterator]();
  const draw = (): readonly string[] => drawPieces(random).filter((piece) => maySend(session, piece));
  let pieces: readonly string[] = [];
  return {
    /** Alternates names that hold as many pieces as fit with names that resemble another type, or of one piece or two. */
    name(at: number): readonly [name: string, pieces: readonly string[]] {
      const tag = session.newName();
      if (at % 2 === 1) return [lookAlikes.next().value ?? drawName(tag, random), []];
      if (pieces.length === 0) pieces = draw();
      const { name, taken } = packName(tag, pieces, nextLength(at));
      const packed = pieces.slice(0, taken);
      pieces = pieces.slice(taken);
      return [name, packed];
    },
    categoryId(at: number): bigint {
      if (!learnedAcceptance(session).takesOtherCategories) return plainCategory(session);
      if (at % 2 === 0) return nextBoundary();
      const { bytes, sign } = nextWidth();
      const bits = Math.min(62, 8 * bytes + Math.floor(random() * 8));
      return sign * (2n ** BigInt(bits) + BigInt(Math.floor(random() * 5) - 2));
    },
    write: (at: number): Writing => (at % 3 === 0 ? writeJson : nextWriting()),
    mediaType: (at: number): string => (at % 3 === 1 ? nextType() : 'application/json'),
  };
}

/** Creates animals with the halves of a name that was refused: one piece may be the reason, and the others are accepted. */
async function createHalves(session: Session, pet: JsonObject, pieces: readonly string[]): Promise<void> {
  const half = Math.ceil(pieces.length / 2);
  for (const part of [pieces.slice(0, half), pieces.slice(half)]) {
    await session.send(createPetFrom(writeJson({ ...pet, name: [session.newName(), ...part].join(' ') })));
  }
}

export const drawnAnimals: Scenario = {
  id: 'drawn-animals',
  rank: 7,
  verifies: [
    'create-answer',
    'pet-name-kept',
    'pet-category-id-kept',
    'pet-status-kept',
    'pet-id-assigned',
    'list-complete',
  ],
  title: 'Creates animals with drawn names, categories, statuses, writings and media types, and lists all among them',
  run: async (session) => {
    if (!mayCreate(session)) return;
    const { random } = session;
    const count = Math.min(mostDrawn, session.budget.creationsLeft() - keptCreations);
    if (count <= 0) return;
    const draws = createDraws(session);
    let divisions = 0;
    const tasks = Array.from({ length: count }, (_nothing, at) => async () => {
      const [name, pieces] = draws.name(at);
      const isHard = learnedAcceptance(session).takesHardNames && maySend(session, name);
      const pet = defined({
        name: isHard ? name : session.newName(),
        categoryId: draws.categoryId(at),
        status: pick([undefined, ...petStatuses], random),
      });
      const request = createPetFrom(draws.write(at)(pet), undefined, draws.mediaType(at));
      const isRefused = statusOf(await session.send(request)) !== 201;
      // The same body twice: two animals, or a refusal.
      if (at % 10 === 9) await session.send(request);
      if (!isRefused || !isHard || pieces.length < 2 || divisions >= mostDivisions) return;
      divisions += 1;
      await createHalves(session, pet, pieces);
    });
    await session.doAll(tasks.slice(0, drawnBeforeListing));
    await session.send(listPets('limit=100'));
    await session.doAll(tasks.slice(drawnBeforeListing));
  },
};

export const crowdedAnimals: Scenario = {
  id: 'crowded-animals',
  rank: 7,
  verifies: ['create-answer', 'pet-id-unique', 'pet-id-assigned', 'pet-name-kept', 'pet-category-id-kept'],
  title: 'Creates animals of one name, and animals with many unknown fields and with ids of every JSON type',
  run: async (session) => {
    if (!mayCreate(session)) return;
    const { name } = plainPet(session);
    const categoryId = plainCategory(session);
    const { takesOtherCategories } = learnedAcceptance(session);
    const others = takesOtherCategories ? [categoryId, 77n, -4n] : [categoryId, categoryId, categoryId];
    const namesakes = others.map((category, at) => ({ name: name!, categoryId: category, status: petStatuses[at]! }));
    for (const pet of namesakes) await session.send(createPetFrom(writeJson(pet)));
    // A number right before the end of the body, which holds no other digit where the name needs no tag.
    if (takesOtherCategories) {
      const short = session.settings.isDisposable ? 'a' : session.newName();
      await session.send(createPetFrom(writeJson({ name: short, categoryId: 2n ** 53n + 1n })));
    }
    await session.sendAll(crowdedBodies(session).map((body) => createPetFrom(body)));
    await session.send(createPetFrom(writeJson(plainPet(session)), undefined, mediaTypes[1]));
  },
};
