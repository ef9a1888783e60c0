/** §4.2 Add an animal: the animals that every run creates, each with as many hard values as possible. */

import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import { writeJson } from '../../http/json.ts';
import type { Scenario } from '../../run/scenario.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPet, createPetFrom, drawUnknownId, getPet, idsIn, listPets, plainPet } from '../requests.ts';
import { categoryInTurn, confirmStatuses, createAccepted, createdIds, createInWay, mayCreate } from './creations.ts';
import { enoughForDefault, everyValue } from './every-value.ts';
import { everyInvalidBody, firstInvalidBodies, moreInvalidBodies } from './invalid-bodies.ts';
import { writeEscaped, writeFreely } from './json-texts.ts';
import { hardName, namesAround, namesLikeOthers, rareName } from './names.ts';
import { whyNothingIsCreated } from './refusals.ts';

const firstAnimals: Scenario = {
  kind: 'scenario',
  id: 'first-animals',
  rank: 1,
  // What is created here is what lists and reads are judged by, and without it nothing more is created.
  verifies: [
    'create-answer',
    'pet-id',
    'pet-id-unique',
    'pet-id-assigned',
    'list-limit-default',
    'pet-name-kept',
    'pet-category-id-kept',
    'pet-status-kept',
    'get-answer',
    'get-until-removal',
    'list-complete',
    'list-status-filter',
    'list-limit',
  ],
  title: 'Creates animals that carry several hard values at once, and plainer ones where they are refused',
  run: async (session, { note }) => {
    if (session.settings.isReadOnly) return;
    await createAccepted(session, {
      name: (tag) => hardName(session, tag),
      categoryId: 2n ** 53n + 1n,
      status: 'available',
    });
    await session.doAll<unknown>([
      () =>
        createAccepted(session, {
          name: (tag) => rareName(session, tag),
          categoryId: 2n ** 63n - 1n,
          status: 'pending',
          write: writeEscaped,
        }),
      () => createInWay(session, () => createPetFrom(writeFreely(plainPet(session)))),
      // While there may be no such animal, but others: an empty page is an array too.
      () => session.send(listPets('status=sold')),
    ]);
    await createAccepted(session, {
      name: (tag) => `${tag}Bo`,
      isModeratelyHard: true,
      categoryId: -(2n ** 63n),
      status: 'sold',
      write: (pet) => writeJson(Object.fromEntries(Object.entries(pet).reverse())),
    });
    await confirmStatuses(session);
    const reason = whyNothingIsCreated(session);
    if (reason !== undefined) note('create-answer', reason);
  },
};

const moreAnimals: Scenario = {
  kind: 'scenario',
  id: 'more-animals',
  rank: 2,
  verifies: ['pet-id-assigned', 'pet-id-unique', 'pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'],
  title: 'Creates animals with an id of the client, and with names that look like something else',
  run: async (session) => {
    if (!mayCreate(session)) return;
    const [existing] = createdIds(session);
    const own = [createPet({ ...plainPet(session, 'pending'), id: drawUnknownId(session) })];
    if (existing !== undefined) own.push(createPet({ ...plainPet(session, 'sold'), id: existing }));
    const likeOthers = namesLikeOthers(session, 'likeliest').map((name) => () => name);
    const names = session.settings.isDisposable ? likeOthers : namesAround(session, 'short').slice(1, 4);
    const statusOfTurn = (at: number): PetStatus => petStatuses[at % petStatuses.length]!;
    await session.doAll<unknown>([
      ...own.map((request) => () => session.send(request)),
      ...names.map((name, at) => () => {
        return createAccepted(session, { name, categoryId: categoryInTurn(session, at), status: statusOfTurn(at) });
      }),
    ]);
  },
};

/** What happens between neighbours in time: creations side by side, and reads at once. */
const sideBySide: Scenario = {
  kind: 'scenario',
  id: 'side-by-side',
  rank: 4,
  verifies: ['pet-id-unique', 'pet-status-kept', 'get-answer', 'list-complete'],
  title: 'Creates three animals side by side, reads each, and lists them',
  run: async (session) => {
    if (!mayCreate(session)) return;
    const created = await session.sendTogether(petStatuses.map((status) => createPet(plainPet(session, status))));
    const ids = created.flatMap(idsIn);
    if (!isRemoved(session)) await session.sendTogether(ids.map((id) => getPet(id)));
    await session.send(listPets('limit=100'));
  },
};

export const bodyScenarios: readonly Scenario[] = [
  firstAnimals,
  firstInvalidBodies,
  moreAnimals,
  moreInvalidBodies,
  sideBySide,
  enoughForDefault,
  everyValue,
  everyInvalidBody,
];
