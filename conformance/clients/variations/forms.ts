/** Variations in how JSON and headers are written, and in the animals that other clients have created. */

import { escapedJson, lowerCaseHeaders, prettyJson, reversedFields } from '../../sections/1-service/forms.ts';
import { manyAnimals } from '../../sections/4.1-list-pets/other-clients.ts';
import { changeAnswer, withHeader } from '../../sections/fault.ts';
import { someAnimals, type Variation } from '../service-variant.ts';

const withCharset = changeAnswer((answer) =>
  answer.body === '' ? undefined : withHeader(answer, 'Content-Type', 'application/json; charset=utf-8'),
);

const json = { requirement: 'any-json' } as const;

export const formVariations: readonly Variation[] = [
  {
    ...json,
    id: 'fields-reversed',
    meaning: 'The fields of objects come in another order.',
    wrap: () => reversedFields,
  },
  { ...json, id: 'json-indented', meaning: 'JSON is indented.', wrap: () => prettyJson },
  { ...json, id: 'json-escaped', meaning: 'Characters of strings are written as escapes.', wrap: () => escapedJson },
  { ...json, id: 'headers-in-lower-case', meaning: 'Header names are in lower case.', wrap: () => lowerCaseHeaders },
  { ...json, id: 'charset-named', meaning: 'The media type names its charset.', wrap: () => withCharset },
];

/** The base service of most runs: a client that does not work with it is run with an empty catalogue. */
export const otherAnimals: Variation = {
  id: 'catalogue: other-animals',
  requirement: 'any-catalogue',
  meaning: 'There are six animals of other clients.',
  animals: someAnimals,
};

export const fullCatalogue: Variation = {
  id: 'catalogue: full',
  requirement: 'any-catalogue',
  meaning: 'There are 150 animals of other clients, more than any page holds.',
  animals: manyAnimals(150),
  control: () => otherAnimals,
};
