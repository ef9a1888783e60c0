/** The commands of the stateful model: the requests that a client may send next, given the ids it has seen. */

import fc from 'fast-check';
import { defined } from '../../../spec/defined.ts';
import type { Exchange } from '../../http/exchange.ts';
import { readNewPet } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import { fillBody } from '../4.2-create-pet/bodies.ts';
import { learnedAcceptance } from '../4.2-create-pet/creations.ts';
import { maySend } from '../4.2-create-pet/names.ts';
import { wrongIds } from '../4.3-get-pet/probes.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { refusedCredentials } from '../5-authentication/credentials.ts';
import { createPetFrom, getPet, idsIn, listPets, plainCategory } from '../requests.ts';
import { drawnPets, invalidBodies, listQueries, unknownIds } from './arbitraries.ts';

const rowsOfIds = Object.values(wrongIds).flat();

/** The knowledge that a sequence has of the target. Other clients may add and remove animals at any time. */
export interface Model {
  /** In the order in which they were seen. */
  ids: readonly bigint[];
}

export type Send = (request: PlannedRequest) => Promise<Exchange>;

export type Command = fc.AsyncCommand<Model, Send, false>;

/** The placeholder in drawn bodies that is replaced by a new name when they are sent. */
export const namePlaceholder = 'cf-000000-00';

function command(
  text: string,
  request: (model: Readonly<Model>) => PlannedRequest,
  isPossible: (model: Readonly<Model>) => boolean = () => true,
): Command {
  return {
    check: isPossible,
    run: async (model, send) => {
      const exchange = await send(request(model));
      model.ids = [...new Set([...model.ids, ...idsIn(exchange)])];
    },
    toString: () => text,
  };
}

/** Whether the target takes unknown fields. One that refuses them would refuse every body that has some. */
function takesUnknownFields({ exchanges }: Session): boolean {
  return exchanges.some(
    (exchange) =>
      statusOf(exchange) === 201 &&
      readNewPet(exchange).kind === 'open' &&
      /"colour"/.test(exchange.request.body ?? ''),
  );
}

/** UTF-16 units. */
const largestRefused = 250;

/** Commands with a valid key, and the same with keys that must be refused. */
export function commandsFor(session: Session): readonly fc.Arbitrary<Command>[] {
  const canCreate = !session.settings.isReadOnly && session.budget.creationsLeft() > 0;
  const { takesHardNames, takesOtherCategories } = learnedAcceptance(session);
  const always = (requests: fc.Arbitrary<PlannedRequest>): fc.Arbitrary<Command> =>
    requests.map((request) => command(request.target, () => request));
  const list = listQueries.map((query) => listPets(query));
  const mayBeNamed = (affixes: readonly [string, string]): boolean =>
    (takesHardNames || affixes.join('') === '') && maySend(session, affixes.join(namePlaceholder));
  const create = drawnPets((affixes) => mayBeNamed(affixes) || affixes[0] + affixes[1] === '').map(
    ({ affixes, categoryId, status, write }) =>
      createPetFrom(
        write(
          defined({
            name: affixes.join(namePlaceholder),
            categoryId: (takesOtherCategories ? categoryId : undefined) ?? plainCategory(session),
            status,
          }),
        ),
      ),
  );
  const hasUnknownFields = takesUnknownFields(session);
  const createInvalid = invalidBodies({ isHard: takesHardNames, hasUnknownFields }).map((template) =>
    createPetFrom(fillBody(session, template)),
  );
  const getUnknown = unknownIds.map((id) => getPet(id));
  const getKnown = fc.nat(20).chain((at) =>
    fc
      .constantFrom<(id: bigint) => bigint | string>(
        ...Array.from({ length: 4 }, () => (id: bigint) => id),
        ...rowsOfIds,
      )
      .map((segmentOf) =>
        command(
          `/pets/{${at}}`,
          ({ ids }) => getPet(segmentOf(ids[at % ids.length]!)),
          ({ ids }) => ids.length > 0,
        ),
      ),
  );
  const refused = fc
    .tuple(
      // A gateway may refuse a large body, whatever its key.
      fc.oneof(
        list,
        ...(canCreate ? [create.filter(({ body = '' }) => body.length < largestRefused)] : []),
        ...(isRemoved(session) ? [] : [getUnknown]),
      ),
      fc.constantFrom(...refusedCredentials(session.keys)),
    )
    .map(([request, credential]) => ({ ...request, credential }));
  return [
    ...(canCreate ? [always(create), always(createInvalid), always(createInvalid)] : []),
    always(list),
    always(list),
    ...(isRemoved(session) ? [] : [getKnown, always(getUnknown)]),
    always(refused),
  ];
}
