/** Pacts that claim more about animals than the interface states. */

import { alike, animal, creation, type Excesses, exists, page, read, regex, type } from './interaction.ts';

export const animalExcesses: Excesses = {
  'another name than was sent': [
    {
      request: creation({ name: 'Rex', categoryId: 1 }),
      response: read({ ...animal, name: 'Max' }, { body: { '$.id': type } }, 201),
    },
    'animal-value-other',
    'contradiction',
    undefined,
    /name is not "Rex", but §4\.2 returns the name that was sent/,
  ],
  'the default status of a new animal': [
    {
      request: creation({ name: 'Mia', categoryId: 1 }),
      response: read({ ...animal, status: 'available' }, alike, 201),
    },
    'animal-status-unsaid',
    'open',
    'status-omitted',
    /status is claimed, but neither request nor state sets it/,
  ],
  'an exact id': [
    {
      states: [exists],
      request: { path: '/pets/1' },
      response: read(animal, { body: { '$.name': type, '$.categoryId': type } }),
    },
    'animal-id-fixed',
    'unreachable',
    undefined,
    /id is restricted to values like 1, but the service assigns ids/,
  ],
  'an id of at most nine digits': [
    {
      states: [exists],
      request: { path: '/pets/1' },
      response: read(animal, { body: { $: type, '$.id': regex('^-?\\d{1,9}$') } }),
    },
    'animal-id-fixed',
    'unreachable',
    undefined,
    /id is restricted to values like 1/,
  ],
  'an id that is not negative': [
    {
      states: [exists],
      request: { path: '/pets/1' },
      response: read(animal, { body: { $: type, '$.id': regex('^\\d+$') } }),
    },
    'animal-id-fixed',
    'unreachable',
    undefined,
    /id is restricted to values like 1/,
  ],
  'another status than was sent': [
    {
      request: creation({ name: 'Mia', categoryId: 1, status: 'sold' }),
      response: read(
        { ...animal, status: 'available' },
        { body: { $: type, '$.status': { matchers: [{ match: 'equality' }] } } },
        201,
      ),
    },
    'animal-status-other',
    'contradiction',
    undefined,
    /status is available, but every animal here is sold/,
  ],
  'a status of every animal of a page without a filter': [
    { states: [{ ...exists, params: { status: 'sold' } }], response: page([{ ...animal, status: 'sold' }]) },
    'animal-status-unsaid',
    'open',
    'status-omitted',
    /neither request nor state sets it/,
  ],
  'a name of every animal of a page': [
    {
      states: [{ ...exists, params: { name: 'Mia' } }],
      response: page([animal], { body: { $: type, '$[*].name': { matchers: [{ match: 'equality' }] } } }),
    },
    'animal-value-fixed',
    'unreachable',
    undefined,
    /name is restricted to values like "Mia"/,
  ],
  'a fixed value for an injected one': [
    {
      states: [{ name: 'an animal can be created' }],
      request: {
        ...creation({ name: 'Mia', categoryId: 1 }),
        generators: { body: { '$.name': { type: 'ProviderState', expression: 'name' } } },
      },
      response: read(animal, { body: { '$.id': type, '$.categoryId': type } }, 201),
    },
    'animal-value-injected',
    'unreachable',
    undefined,
    /name is fixed, but a state injects/,
  ],
  'a number that is no integer': [
    {
      states: [exists],
      request: { path: '/pets/1' },
      response: read(animal, { body: { $: type, '$.id': { matchers: [{ match: 'decimal' }] } } }),
    },
    'animal-id-fixed',
    'unreachable',
    undefined,
    /id is restricted to values like 1/,
  ],
  'another category than was sent': [
    {
      request: creation({ name: 'Mia', categoryId: 2 }),
      response: read(animal, { body: { '$.id': type, '$.name': type } }, 201),
    },
    'animal-value-other',
    'contradiction',
    undefined,
    /categoryId is not 2, but §4\.2 returns the categoryId that was sent/,
  ],
  'a category that no state was given': [
    {
      states: [{ ...exists, params: { name: 'Mia' } }],
      request: { path: '/pets/1' },
      response: read(animal, { body: { '$.id': type } }),
    },
    'animal-value-fixed',
    'unreachable',
    undefined,
    /response\.body\.categoryId is restricted to values like 1; give it to the state/,
  ],
  'another status than the state was given': [
    {
      states: [{ ...exists, params: { status: 'sold' } }],
      request: { path: '/pets/1' },
      response: read(
        { ...animal, status: 'pending' },
        { body: { $: type, '$.status': { matchers: [{ match: 'equality' }] } } },
      ),
    },
    'animal-status-other',
    'contradiction',
    undefined,
    /response\.body\.status is pending, but every animal here is sold/,
  ],
  'another name than the one that a state injects': [
    {
      states: [{ name: 'an animal can be created' }],
      request: {
        ...creation({ name: 'Mia', categoryId: 1 }),
        generators: { body: { '$.name': { type: 'ProviderState', expression: 'name' } } },
      },
      response: read({ ...animal, name: 'Rex' }, { body: { '$.id': type, '$.categoryId': type } }, 201),
    },
    'animal-value-injected',
    'unreachable',
    undefined,
    /name is fixed, but a state injects/,
  ],
};
