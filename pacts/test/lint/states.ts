/** Pacts whose answer no provider state brings, or another one. */

import { alike, animal, type Excesses, error, errorRules, exists, page, read, unknown } from './interaction.ts';

export const stateExcesses: Excesses = {
  'a page in a state without a key': [
    { states: [{ name: 'the API key is missing' }], response: page([], alike) },
    'state-other-status',
    'contradiction',
    undefined,
    /in the state "the API key is missing" it is 401 \(§5\)/,
  ],
  'a state outside the vocabulary': [
    { states: [{ name: 'the moon is full' }], response: page([animal]) },
    'state-unreachable',
    'unreachable',
    undefined,
    /"the moon is full"/,
  ],
  'an animal without a state': [
    { request: { path: '/pets/1' }, response: read(animal) },
    'state-missing',
    'unreachable',
    undefined,
    /name "an animal exists"/,
  ],
  'an unknown animal without a state': [
    { request: { path: '/pets/1' }, response: read(error(404), errorRules, 404) },
    'state-missing',
    'unreachable',
    undefined,
    /name "no animal has this id"/,
  ],
  'an excess without a state': [
    { response: { status: 429 } },
    'state-missing',
    'unreachable',
    undefined,
    /name "the rate limit is exceeded"/,
  ],
  'a parameter of a state that cannot be': [
    { states: [{ name: 'animals exist', params: { count: 21 } }], response: { status: 200 } },
    'state-unreachable',
    'unreachable',
    undefined,
    /count 21 is none from 1 to 20/,
  ],
  'an animal in a state without one': [
    { states: [unknown], request: { path: '/pets/1' }, response: read(animal) },
    'state-other-status',
    'contradiction',
    undefined,
    /response\.status is 200, and in the state "no animal has this id" it is 404 \(§4\.3\)/,
  ],
  'a refused key in the state of an excess': [
    { states: [{ name: 'the rate limit is exceeded' }], response: { status: 401 } },
    'state-other-status',
    'contradiction',
    undefined,
    /in the state "the rate limit is exceeded" it is 429 \(§8\)/,
  ],
  'a page whatever the key, before any animal': [
    { states: [{ name: 'the API key is invalid' }, exists], response: page([animal]) },
    'state-other-status',
    'contradiction',
    undefined,
    /in the state "the API key is invalid" it is 401 \(§5\)/,
  ],
  'a state with no animals': [
    { states: [{ name: 'animals exist', params: { count: 0 } }], response: { status: 200 } },
    'state-unreachable',
    'unreachable',
    undefined,
    /count 0 is none from 1 to 20/,
  ],
  'a state with a name that is no text': [
    { states: [{ name: 'an animal exists', params: { name: 5 } }], response: { status: 200 } },
    'state-unreachable',
    'unreachable',
    undefined,
    /name 5 is no text/,
  ],
  'a state with a status that is none': [
    { states: [{ name: 'an animal exists', params: { status: 'lost' } }], response: { status: 200 } },
    'state-unreachable',
    'unreachable',
    undefined,
    /status "lost" is none of the three/,
  ],
  'a state with a category that is none': [
    { states: [{ name: 'an animal exists', params: { categoryId: 'x' } }], response: { status: 200 } },
    'state-unreachable',
    'unreachable',
    undefined,
    /categoryId "x" is no int64/,
  ],
  'an animal whatever the key, which decides first': [
    { states: [{ name: 'the API key is invalid' }, exists], request: { path: '/pets/1' }, response: read(animal) },
    'state-other-status',
    'contradiction',
    undefined,
    /in the state "the API key is invalid" it is 401 \(§5\)/,
  ],
};
