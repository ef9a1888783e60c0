/** Pacts that claim more about pages than the interface states. */

import { animal, type Excesses, exists, page, type } from './interaction.ts';

export const pageExcesses: Excesses = {
  'the order of a page': [
    {
      states: [exists],
      response: page([animal, animal], { body: { '$[*].id': type, '$[*].name': type, '$[*].categoryId': type } }),
    },
    'page-order',
    'open',
    'list-order',
    /2 animals in this order/,
  ],
  'more animals than the limit': [
    {
      states: [{ name: 'animals exist', params: { count: 6 } }],
      request: { query: { limit: ['5'] } },
      response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 6 }] } } }),
    },
    'page-beyond-limit',
    'contradiction',
    undefined,
    /at least 6 animals, but the limit is 5/,
  ],
  'fewer animals than there may be': [
    { states: [exists], response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 1, max: 1 }] } } }) },
    'page-shorter-than-limit',
    'unreachable',
    undefined,
    /at most 1 animals/,
  ],
  'more animals than the state brings': [
    { states: [exists], response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 3 }] } } }) },
    'page-without-state',
    'unreachable',
    undefined,
    /name "animals exist" with count 3/,
  ],
  'an empty page': [
    { response: page([], {}) },
    'page-length-fixed',
    'unreachable',
    undefined,
    /exactly 0 animals, but there may be others/,
  ],
  'a single animal on a page': [
    {
      states: [exists],
      response: page([animal], { body: { '$[0].id': type, '$[0].name': type, '$[0].categoryId': type } }),
    },
    'page-length-fixed',
    'unreachable',
    undefined,
    /exactly 1 animals, but there may be others/,
  ],
  'animals of a status that the state does not bring': [
    {
      states: [{ name: 'animals exist', params: { count: 3, status: 'pending' } }],
      request: { query: { status: ['sold'] } },
      response: page([{ ...animal, status: 'sold' }], {
        body: { $: { matchers: [{ match: 'type', min: 2 }] }, '$[*].status': { matchers: [{ match: 'equality' }] } },
      }),
    },
    'page-without-state',
    'unreachable',
    undefined,
    /at least 2 animals only in a state: name "animals exist" with count 2 and status sold/,
  ],
  'more animals than a page has that names no limit': [
    { response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 21 }] } } }) },
    'page-beyond-limit',
    'contradiction',
    undefined,
    /at least 21 animals, but the limit is 20/,
  ],
  'a single animal where the limit is one, and no state': [
    {
      request: { query: { limit: ['1'] } },
      response: page([animal], { body: { '$[0].id': type, '$[0].name': type, '$[0].categoryId': type } }),
    },
    'page-without-state',
    'unreachable',
    undefined,
    /at least 1 animals only in a state: name "an animal exists"$/,
  ],
  'two animals in the state of one': [
    { states: [exists], response: page([animal], { body: { $: { matchers: [{ match: 'type', min: 2 }] } } }) },
    'page-without-state',
    'unreachable',
    undefined,
    /name "animals exist" with count 2$/,
  ],
};
