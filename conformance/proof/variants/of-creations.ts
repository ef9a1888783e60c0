/** Variants that accept few names and categories: a run sends plainer ones, or names the option that helps. */

import type { AnswerId } from '../../../spec/gaps.ts';
import type { Observed, Variant } from '../variant.ts';
import {
  categories,
  names,
  readsUtf16,
  refusesChunked,
  refusesMoreFields,
  roomFor,
  soldWhenRead,
  uniqueNames,
} from './creations.ts';

const firstFive = [1n, 2n, 3n, 4n, 5n] as const;
const lettersOnly = /^[A-Za-z ]+$/;

/** The observed answer for refusals of one kind, by their status. */
const refusals = {
  400: 'refused-400',
  404: 'refused-otherwise',
  409: 'refused-409',
  422: 'refused-422',
} as const;

const ofNames: readonly Variant[] = ([400, 404, 409, 422] as const).flatMap((status): readonly Variant[] => {
  const ofCategories = { 'known-categories': status === 404 ? 'refused-404' : refusals[status] } as const;
  const limits = (inWords: AnswerId<'name-limits'>): Observed => ({
    'name-limits': status === 400 ? inWords : refusals[status],
  });
  return [
    {
      id: `names-of-word-characters-else-${status}`,
      wrap: names(status, /^[\w-]+$/),
      observes: limits('some-characters'),
    },
    { id: `names-up-to-12-else-${status}`, wrap: names(status, /^.{1,12}$/su), observes: limits('other-length') },
    { id: `names-up-to-20-else-${status}`, wrap: names(status, /^.{1,20}$/su), observes: limits('other-length') },
    { id: `names-of-letters-else-${status}`, wrap: names(status, lettersOnly), observes: limits('some-characters') },
    { id: `names-once-else-${status}`, wrap: uniqueNames(status), observes: { 'duplicate-names': refusals[status] } },
    { id: `five-categories-else-${status}`, wrap: categories(status, ...firstFive), observes: ofCategories },
    {
      id: `five-categories-and-letters-else-${status}`,
      wrap: (handle) => names(status, lettersOnly)(categories(status, ...firstFive)(handle)),
      observes: { ...ofCategories, ...limits('some-characters') },
    },
  ];
});

const withOptions: readonly Variant[] = [
  {
    id: 'names-by-a-template',
    wrap: names(422, /^Pet [a-z]{5,12}$/),
    settings: { nameTemplate: 'Pet {n}' },
    observes: { 'name-limits': 'refused-422' },
  },
  {
    id: 'one-name-for-all',
    wrap: names(400, /^Rex$/),
    settings: { nameTemplate: 'Rex' },
    observes: { 'name-limits': 'some-characters' },
  },
  {
    id: 'categories-by-option',
    wrap: categories(409, 70n, 71n),
    settings: { categoryIds: [70n, 71n] },
    observes: { 'known-categories': 'refused-409' },
  },
  {
    id: 'first-category-by-option-is-gone',
    wrap: categories(409, 71n),
    settings: { categoryIds: [70n, 71n] },
    observes: { 'known-categories': 'refused-409' },
  },
  { id: 'shared', settings: { isDisposable: false } },
];

/** If nothing can be created, the run quotes the target and names the option that helps. */
const withoutAnimals: readonly Variant[] = [
  { id: 'names-of-three', wrap: names(422, /^\w{3}$/), reason: /422 "The name has .*--name TEMPLATE/ },
  {
    id: 'categories-from-900',
    wrap: categories(404, 900n),
    reason: /404 "There is no such category\.".*--category-id/,
  },
  {
    id: 'nothing-is-taken',
    wrap: names(409, /^$/, 'No.'),
    reason: /409 "No\.": .*--category-id, or .*--name TEMPLATE/,
  },
  { id: 'no-room', wrap: roomFor(0), reason: /409 "The store is full\."/ },
  {
    id: 'key-that-only-reads',
    wrap: names(403, /^$/, 'This key may not create animals.'),
    reason: /403 .*--read-only/,
  },
].map((variant) => ({ ...variant, exitCode: 3 }));

/** What a run observes by the status with which a chunked body is refused. */
const chunkedAnswers = {
  400: 'refused-400',
  404: 'refused-otherwise',
  411: 'refused-411',
  413: 'refused-413',
  422: 'refused-otherwise',
} as const;

const others: readonly Variant[] = [
  ...[1, 4, 10, 25].map((most): Variant => ({ id: `room-for-${most}`, wrap: roomFor(most) })),
  // A service that refuses everything after the first 400 may look the same: the first invalid body comes about then.
  { id: 'room-for-4-else-400', wrap: roomFor(4, 400) },
  ...([400, 404, 411, 413, 422] as const).map(
    (status): Variant => ({
      id: `chunked-bodies-${status}`,
      wrap: refusesChunked(status),
      observes: { 'chunked-bodies': chunkedAnswers[status] },
    }),
  ),
  {
    id: 'more-fields-422',
    wrap: refusesMoreFields,
    gaps: { 'extra-body-fields': 'refused-400' },
    observes: { 'extra-body-fields': 'refused-422' },
  },
  { id: 'sold-when-read', wrap: soldWhenRead },
  { id: 'reads-utf-16', wrap: readsUtf16 },
];

export const creationVariants: readonly Variant[] = [...ofNames, ...withOptions, ...withoutAnimals, ...others];
