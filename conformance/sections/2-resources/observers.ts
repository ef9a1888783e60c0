/** What animals show of §2: the form of their ids, the status when it is omitted, fields that are not listed. */

import type { AnswerId } from '../../../spec/gaps.ts';
import { isError } from '../../http/documented.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isInt64, isJsonObject, type JsonValue } from '../../http/json.ts';
import { isPetStatus, readRequestJson } from '../../http/read-request.ts';
import { animalsOf, bodyOf, isJson, statusOf } from '../../http/read-response.ts';
import { type CreatedPet, type History, isAuthorized } from '../../verdict/history.ts';
import { collectAnswers, type Observe, observationOf } from '../observation.ts';

/** The status of each animal when it is first read; a 201 may merely echo what was sent. */
function firstReads(history: History): ReadonlyMap<JsonValue | undefined, JsonValue | undefined> {
  const statuses = new Map<JsonValue | undefined, JsonValue | undefined>();
  for (const exchange of history.answered) {
    if (exchange.operation === 'createPet' || !isAuthorized(exchange)) continue;
    for (const { id, status } of animalsOf(exchange)) {
      // The id may have been that of another animal before.
      const creation = isInt64(id) ? history.createdById.get(id)?.exchange : undefined;
      const isOfThis = creation === undefined || happenedBefore(creation, exchange);
      if (isOfThis && !statuses.has(id)) statuses.set(id, status);
    }
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
    // A 201 may merely echo what was sent.
    if (status === undefined) return read.has(id) ? 'absent' : undefined;
    return isPetStatus(status) ? status : undefined;
  });
};

/** Six random ids rise or fall by chance once in 360 times; fewer do so more often. */
const fewestIds = 6;
/** Other clients take ids in between; ids made from a time differ by more than this. */
const longestStep = 1_000n;

/** Animals that were created strictly one after another. */
function createdInSequence(created: readonly CreatedPet[]): readonly CreatedPet[] {
  const chain: CreatedPet[] = [];
  for (const pet of created) {
    const last = chain.at(-1);
    if (last === undefined || happenedBefore(last.exchange, pet.exchange)) chain.push(pet);
  }
  return chain;
}

export const idForm: Observe<'id-form'> = (history) => {
  const chain = createdInSequence(history.created);
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

/** The fields that the run itself sent; whether the service keeps those is another gap. */
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
  // A body that is nested too deeply to be read may hold any field.
  if (history.answered.some((exchange) => bodyOf(exchange) === undefined && isJson(exchange))) return undefined;
  const inAnimals = animals.find((exchange) =>
    animalsOf(exchange).some((animal) => hasMore(Object.keys(animal), fieldsOfAnimals)),
  );
  const inErrors = errors.find((exchange: Exchange) => hasMore(Object.keys(bodyOf(exchange) ?? {}), fieldsOfErrors));
  if (inAnimals !== undefined) return observationOf(inErrors === undefined ? 'in-animals' : 'extra', inAnimals);
  return inErrors === undefined ? observationOf('none', animals[0]) : observationOf('in-errors', inErrors);
};
