/** Worlds in which the same is written otherwise, or in which others were there first. */

import { changeAnswer, withHeader } from '../../faults/fault.ts';
import { escapedJson, lowerCaseHeaders, prettyJson, reversedFields } from '../../faults/variants/forms.ts';
import { manyAnimals } from '../../faults/variants/other-clients.ts';
import type { Turn } from '../world.ts';

const withCharset = changeAnswer((answer) =>
  answer.body === '' ? undefined : withHeader(answer, 'Content-Type', 'application/json; charset=utf-8'),
);

const json = { statement: 'any-json' } as const;

export const formTurns: readonly Turn[] = [
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
  {
    id: 'animals-of-others',
    statement: 'any-catalogue',
    meaning: 'There are 150 animals of other clients, more than any page holds.',
    animals: manyAnimals(150),
  },
];
