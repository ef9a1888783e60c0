/** The commands of the stateful model: the requests that a client may send next, given the ids it has seen. */

import fc from 'fast-check';
import { defined } from '../../../spec/defined.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { JsonObject } from '../../http/json.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import { maySend } from '../4.2-create-pet/names.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { refusedCredentials } from '../5-authentication/credentials.ts';
import { createPetFrom, getPet, idsIn, listPets, plainCategory } from '../requests.ts';
import { drawnPets, invalidBodies, listQueries, unknownIds } from './arbitraries.ts';

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

/** Commands with a valid key, and the same with keys that must be refused. */
export function commandsFor(session: Session): readonly fc.Arbitrary<Command>[] {
  const mayCreate = !session.settings.isReadOnly && session.budget.creationsLeft() > 0;
  const plain: JsonObject = { name: namePlaceholder, categoryId: plainCategory(session) };
  const list = listQueries.map((query) => listPets(query));
  const create = drawnPets((tail) => maySend(session, namePlaceholder + tail)).map(
    ({ tail, categoryId = plainCategory(session), status, write }) =>
      createPetFrom(write(defined({ name: namePlaceholder + tail, categoryId, status }))),
  );
  const createInvalid = invalidBodies(plain).map((body) => createPetFrom(body));
  const getUnknown = unknownIds.map((id) => getPet(id));
  const always = (requests: fc.Arbitrary<PlannedRequest>): fc.Arbitrary<Command> =>
    requests.map((request) => command(request.target, () => request));
  const getKnown = fc.nat(20).map((at) =>
    command(
      `/pets/{${at}}`,
      ({ ids }) => getPet(ids[at % ids.length]!),
      ({ ids }) => ids.length > 0,
    ),
  );
  const refused = fc
    .tuple(
      fc.oneof(list, ...(mayCreate ? [create] : []), ...(isRemoved(session) ? [] : [getUnknown])),
      fc.constantFrom(...refusedCredentials(session.keys)),
    )
    .map(([request, credential]) => ({ ...request, credential }));
  return [
    ...(mayCreate ? [always(create), always(createInvalid)] : []),
    always(list),
    ...(isRemoved(session) ? [] : [getKnown, always(getUnknown)]),
    always(refused),
  ];
}
