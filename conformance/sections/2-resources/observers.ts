/** What animals show of §2, wherever they appear: their ids, the status that nobody sent, fields that are not listed. */

import type { AnswerId } from '../../../spec/gaps.ts';
import { isError } from '../../http/documented.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isJsonObject, type JsonValue } from '../../http/json.ts';
import { isPetStatus, readRequestJson } from '../../http/read-request.ts';
import { animalsOf, bodyOf, isJson, statusOf } from '../../http/read-response.ts';
import { type CreatedPet, type History, isAuthorized } from '../../verdict/history.ts';
import { collectAnswers, type Observe, observationOf } from '../observation.ts';

/** The status that an animal is first read with: a 201 may repeat no more than what was sent. */
function firstReads(history: History): ReadonlyMap<JsonValue | undefined, JsonValue | undefined> {
  const statuses = new Map<JsonValue | undefined, JsonValue | undefined>();
  for (const exchange of history.answered) {
    if (exchange.operation === 'createPet' || !isAuthorized(exchange)) continue;
    for (const { id, status } of animalsOf(exchange)) if (!statuses.has(id)) statuses.set(id, status);
  }
  return statuses;
}

export const statusOmitted: Observe<'status-omitted'> = (history) => {
  const read = firstReads(history);
  const omitted = history.created.filter(({ sent }) => sent !== undefined && sent.status === undefined);
  const byExchange = new Map(omitted.map((pet) => [pet.exchange, pet]));
  return collectAnswers([...byExchange.keys()], (exchange) => {
    const { id, returned } = byExchange.get(exchange)!;
    const status = read.has(id) ? read.get(id) : returned['status'];
    // A 201 may repeat no more than was sent.
    if (status === undefined) return read.has(id) ? 'absent' : undefined;
    return isPetStatus(status) ? status : undefined;
  });
};

/** Fewer say nothing of their order: six that are drawn rise or fall one time in 360. */
const fewestIds = 6;
/** Others create animals too, so ids that count up leave some out; those that hold a time leave out many more. */
const longestStep = 1_000n;

/** Animals of which each was asked for when the one before was there. */
function oneByOne(created: readonly CreatedPet[]): readonly CreatedPet[] {
  const chain: CreatedPet[] = [];
  for (const pet of created) {
    const last = chain.at(-1);
    if (last === undefined || happenedBefore(last.exchange, pet.exchange)) chain.push(pet);
  }
  return chain;
}

export const idForm: Observe<'id-form'> = (history) => {
  const chain = oneByOne(history.created);
  if (chain.length < fewestIds) return undefined;
  const steps = chain.slice(1).map((pet, at) => pet.id - chain[at]!.id);
  const every = (matches: (id: bigint) => boolean): boolean => chain.every(({ id }) => matches(id));
  const answer = (): AnswerId<'id-form'> | undefined => {
    if (steps.every((step) => step > 0n)) {
      return steps.every((step) => step <= longestStep) && every((id) => id > 0n) ? 'sequential' : 'rising';
    }
    if (!steps.every((step) => step < 0n)) return 'random';
    if (every((id) => id < 0n)) return 'negative';
    return every((id) => id > 2n ** 62n) ? 'large' : undefined;
  };
  return observationOf(answer(), chain[0]?.exchange);
};

const fieldsOfAnimals = ['id', 'name', 'categoryId', 'status'];
const fieldsOfErrors = ['code', 'message', 'status'];

/** The names of all fields that the run itself sent: what is kept of them is the answer to another question. */
function sentFields({ exchanges }: History): ReadonlySet<string> {
  const bodies = exchanges.filter(({ operation }) => operation === 'createPet');
  return new Set(
    bodies.flatMap(({ request }) => {
      const reading = readRequestJson(request);
      return 'value' in reading && isJsonObject(reading.value) ? Object.keys(reading.value) : [];
    }),
  );
}

export const extraResponseFields: Observe<'extra-response-fields'> = (history) => {
  const sent = sentFields(history);
  const hasMore = (fields: readonly string[], listed: readonly string[]): boolean =>
    fields.some((field) => !listed.includes(field) && !sent.has(field));
  const animals = history.answered.filter((exchange) => isAuthorized(exchange) && animalsOf(exchange).length > 0);
  const errors = history.answered.filter(
    (exchange) => exchange.operation !== 'other' && (statusOf(exchange) ?? 0) >= 400 && isError(exchange),
  );
  if (animals.length === 0 || errors.length === 0) return undefined;
  // What is nested too deeply for us to read may hold anything.
  if (history.answered.some((exchange) => bodyOf(exchange) === undefined && isJson(exchange))) return undefined;
  const inAnimals = animals.find((exchange) =>
    animalsOf(exchange).some((animal) => hasMore(Object.keys(animal), fieldsOfAnimals)),
  );
  const inErrors = errors.find((exchange: Exchange) => hasMore(Object.keys(bodyOf(exchange) ?? {}), fieldsOfErrors));
  if (inAnimals !== undefined) return observationOf(inErrors === undefined ? 'in-animals' : 'extra', inAnimals);
  return inErrors === undefined ? observationOf('none', animals[0]) : observationOf('in-errors', inErrors);
};
