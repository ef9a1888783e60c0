/** The questions that the interface leaves open ("not shown", or silent): observed and reported, never judged. */

import { removalDayInWords } from './facts.ts';
import { pageLimit } from './operations.ts';
import type { SectionId } from './sections.ts';

/** One open question and its legal answers. */
interface StatedGap {
  readonly question: string;
  /** Answer id → meaning for a client: the answers that the reference server can give, its own choice first. */
  readonly answers?: Readonly<Record<string, string>>;
  /** Answers that are only observed: those of other implementations, and those of an incomplete observation. */
  readonly others?: Readonly<Record<string, string>>;
  /** Set when no request of this interface can show the answer. */
  readonly unobservable?: string;
}

/** Refusals that are only observed: `subject` ends in "gets" or "get". */
function refusalsOf<const Status extends number = never>(subject: string, ...statuses: readonly Status[]) {
  const otherwise = subject.replace(/gets$/, 'is').replace(/get$/, 'are');
  return {
    ...Object.fromEntries(statuses.map((status) => [`refused-${status}`, `${subject} ${status} with an Error.`])),
    'refused-otherwise': `${otherwise} refused in another way.`,
  } as Readonly<Record<`refused-${Status}` | 'refused-otherwise', string>>;
}

function gapsInSection<const Table extends Readonly<Record<string, StatedGap>>>(section: SectionId, table: Table) {
  return { section, table };
}

const stated = [
  gapsInSection('1', {
    'store-orders': {
      question: 'Which paths, payloads and behaviour do store orders have?',
      unobservable: 'The interface mentions store orders and shows no path for them.',
    },
    cors: {
      question: 'May pages of other origins read the answers (CORS)?',
      answers: { none: 'No: answers allow no origin.', 'any-origin': 'Yes, pages of any origin.' },
      others: { 'some-origins': 'Yes, pages of certain origins.' },
    },
  }),
  gapsInSection('2', {
    'known-categories': {
      question: 'Is an animal accepted whose category the service may not know?',
      answers: {
        accepted: 'Every int64 is accepted as a category.',
        'refused-400': 'Only known categories are accepted; others get 400 with an Error.',
      },
      others: {
        ...refusalsOf('Only known categories are accepted; others get', 404, 409, 422),
        'within-range': 'Categories within a range are accepted; others are refused.',
        'far-refused': 'Categories far from zero are refused; a run that sends more shows whether nearer ones are.',
      },
    },
    'name-limits': {
      question: 'Which names beyond plain short ones are accepted?',
      answers: {
        any: 'Every string is accepted.',
        'at-most-100': 'Names of up to 100 code points are accepted; others get 400 with an Error.',
        'plain-only': 'Letters, digits, spaces and hyphens, at most 30; others get 400 with an Error.',
        'not-empty': 'Every string with a visible character is accepted; others get 400 with an Error.',
        'at-most-255': 'Names of up to 255 code points are accepted; others get 400 with an Error.',
        'other-length': 'Names up to another length are accepted; others get 400 with an Error.',
      },
      others: refusalsOf('Some names get', 400, 409, 422),
    },
    'duplicate-names': {
      question: 'May two animals have the same name?',
      answers: { accepted: 'Names need not be unique.', 'refused-400': 'A name in use gets 400 with an Error.' },
      others: refusalsOf('A name in use gets', 409, 422),
    },
    'status-omitted': {
      question: 'Which status has an animal that was created without one?',
      answers: {
        available: 'It is available.',
        pending: 'It is pending.',
        sold: 'It is sold.',
        absent: 'It has none: the field is absent.',
      },
    },
    'id-form': {
      question: 'What do assigned identifiers look like?',
      answers: {
        sequential: 'They count up from 1.',
        random: 'They are random int64 values.',
        large: 'They count down from nearly 2^63.',
        negative: 'They count down from below zero.',
      },
      others: {
        'sequential-from-elsewhere': 'They count up; the first that was seen is not 1.',
        rising: 'They rise, by large or changing steps.',
        falling: 'They fall, from a number that is neither below zero nor near 2^63.',
        unordered: 'They neither rise nor fall, and none was beyond 2^53.',
      },
    },
    'extra-response-fields': {
      question: 'Do animals and errors carry fields beyond those listed?',
      answers: { none: 'Only the listed fields.', extra: 'Further fields besides the listed ones.' },
    },
  }),
  gapsInSection('3', {
    'status-transitions': {
      question: 'How does the status of an animal change?',
      unobservable: 'No operation that changes an animal is shown.',
    },
  }),
  gapsInSection('4.1', {
    'limit-out-of-range': {
      question: `What happens to a limit outside ${pageLimit.least} to ${pageLimit.most}?`,
      answers: {
        'refused-400': 'It gets 400 with an Error.',
        'refused-422': 'It gets 422 with an Error.',
        clamped: 'The nearest allowed limit is used.',
        ignored: 'The default limit is used.',
      },
      others: {
        ...refusalsOf('It gets', 404),
        'empty-page': 'The page is empty.',
        'largest-page': 'Below 1, the page holds more than the default limit allows.',
      },
    },
    'limit-not-integer': {
      question: 'What happens to a limit that is not an integer?',
      answers: {
        'refused-400': 'It gets 400 with an Error.',
        'refused-422': 'It gets 422 with an Error.',
        ignored: 'The default limit is used.',
      },
      others: {
        ...refusalsOf('It gets', 404),
        'empty-page': 'The page is empty.',
        'largest-page': 'The page holds more than the default limit allows.',
      },
    },
    'status-filter-unknown': {
      question: 'What happens to a status filter outside the three values?',
      answers: {
        'refused-400': 'It gets 400 with an Error.',
        'refused-422': 'It gets 422 with an Error.',
        ignored: 'All animals are listed.',
        'empty-page': 'No animal has that status: the page is empty.',
      },
      others: refusalsOf('It gets', 404),
    },
    'unknown-query-parameters': {
      question: 'What happens to query parameters that are not listed?',
      answers: { ignored: 'They are ignored.', 'refused-400': 'They get 400 with an Error.' },
      others: {
        ...refusalsOf('They get', 422),
        'empty-page': 'They are treated as filters that no animal matches: the page is empty.',
      },
    },
    'list-order': {
      question: 'In which order are animals listed?',
      answers: {
        'oldest-first': 'In order of creation.',
        'newest-first': 'In reverse order of creation.',
        shuffled: 'In no fixed order.',
      },
      others: { another: 'In another order, the same each time.' },
    },
    'page-cap': {
      question: 'Does a page hold as many animals as limit asks for, if there are so many?',
      answers: { 'as-asked': `Yes, up to ${pageLimit.most}.`, fewer: 'No, pages are capped at a smaller number.' },
    },
    'short-pages': {
      question: 'Does limit count the animals that match the filter?',
      answers: { 'filter-before-limit': 'Yes: a page is shorter only where fewer match.' },
      others: {
        'limit-before-filter': 'No, it is applied before the filter: a page may be short although more match.',
      },
    },
    visibility: {
      question: 'How soon is a created animal listed and found?',
      answers: { 'at-once': 'In the first answer to a request sent after its 201.' },
      others: { later: 'After a while: until then pages lack it, or reads answer 404.' },
    },
    'later-pages': {
      question: 'How is a later page obtained?',
      answers: { none: 'Nothing in the answer leads to one.', 'link-header': 'A Link header names the next page.' },
      others: { 'other-header': 'Another header leads to the next page.' },
    },
  }),
  gapsInSection('4.2', {
    'extra-body-fields': {
      question: 'What happens to unknown fields in the body of createPet?',
      answers: {
        ignored: 'They are dropped.',
        kept: 'They are stored and returned.',
        'refused-400': 'They get 400 with an Error.',
      },
      others: refusalsOf('They get', 422),
    },
    'client-sent-id': {
      question: 'What happens to an id in the body of createPet?',
      answers: { ignored: 'The service assigns its own.', 'refused-400': 'It gets 400 with an Error.' },
      others: refusalsOf('It gets', 409, 422),
    },
    'integer-written-as-decimal': {
      question: 'Is 1.0 an integer?',
      answers: { accepted: 'Yes, it equals 1.', 'refused-400': 'No, it gets 400 with an Error.' },
      others: refusalsOf('No, it gets', 422),
    },
    'other-media-type': {
      question: 'What happens to a body of createPet that is not sent as application/json?',
      answers: {
        'refused-415': 'It gets 415.',
        'refused-400': 'It gets 400 with an Error.',
        accepted: 'It is read as JSON anyway.',
      },
      others: refusalsOf('It gets', 422),
    },
    'chunked-bodies': {
      question: 'Is a body of createPet accepted that is sent in chunks, without Content-Length?',
      answers: { accepted: 'Yes.', 'refused-411': 'No, it gets 411.' },
      others: {
        'refused-400': 'No, it gets 400 with an Error.',
        'refused-413': 'No, it gets 413.',
        ...refusalsOf('No, it gets'),
      },
    },
    'location-header': {
      question: 'Does a 201 carry a Location header?',
      answers: { none: 'No.', sent: 'Yes, with the path of the animal.' },
      others: { 'another-address': 'Yes, with another address.' },
    },
  }),
  gapsInSection('4.3', {
    'pet-id-not-int64': {
      question: 'What answers a petId that is not an int64?',
      answers: { 'not-found-404': '404 with an Error.', 'refused-400': '400 with an Error.' },
      others: { 'refused-422': '422 with an Error.', 'refused-otherwise': 'Another refusal.' },
    },
  }),
  gapsInSection('4.4', {
    'other-operations': {
      question: 'What answers operations that are not shown?',
      answers: { 'refused-405': '405 with Allow on known paths, 404 elsewhere.', 'refused-404': '404 everywhere.' },
      others: {
        'refused-501': '501: not implemented.',
        ...refusalsOf('They get'),
        answered: 'They are carried out: the service has operations that are not shown.',
      },
    },
  }),
  gapsInSection('5', {
    'key-lifecycle': {
      question: 'How are keys issued, which scopes do they have, and when do they end?',
      unobservable: 'No operation on keys is shown.',
    },
    'key-scope': {
      question: 'Does a key see the animals that were added with another?',
      answers: { shared: 'Yes, there is one catalogue.' },
      others: { 'per-key': 'No, the two keys of the run see different animals.' },
    },
    'bearer-case': {
      question: 'May the scheme name Bearer be written in another case?',
      answers: { accepted: 'Yes, as HTTP has it.', 'refused-401': 'No, it gets 401 with an Error.' },
      others: refusalsOf('No, it gets'),
    },
    'www-authenticate': {
      question: 'Does a 401 carry a WWW-Authenticate header?',
      answers: { sent: 'Yes.', none: 'No.' },
    },
  }),
  gapsInSection('6', {
    events: { question: 'Which events, webhooks or notifications are there?', unobservable: 'None are shown.' },
  }),
  gapsInSection('7', {
    'error-codes': {
      question: 'Which values does the field code of an Error have?',
      answers: {
        'snake-case': 'Lower-case words, like not_found.',
        'upper-case': 'Upper-case words, like NOT_FOUND.',
        numeric: 'Digits, like "1404".',
        generic: 'One value for all, like error.',
      },
      others: {
        'camel-case': 'Words joined by capitals, like notFound or NotFound.',
        'kebab-case': 'Lower-case words with hyphens, like not-found.',
        words: 'Text with spaces, like Not Found.',
        mixed: 'More than one of these forms, or another.',
      },
    },
    'too-many-requests-body': {
      question: 'What is the body of a 429?',
      answers: { error: 'An Error.', empty: 'Nothing.', text: 'Plain text.' },
      others: { 'other-json': 'JSON that is not an Error.', html: 'A page of HTML.' },
    },
  }),
  gapsInSection('8', {
    'rate-limit-window': {
      question: 'Which window do the X-RateLimit headers describe?',
      answers: {
        tightest: 'Whichever has fewer requests left.',
        minute: 'The fixed minute.',
        day: 'The fixed day.',
      },
      others: {
        'at-most-a-minute': 'One that ends within a minute: a fixed minute, a sliding window, or a bucket.',
        'other-length': 'One that is longer than a minute and not a day.',
      },
    },
    'rate-limit-without-key': {
      question: 'Which limit do answers without a valid key describe?',
      answers: {
        'free-per-address': 'That of the Free plan, counted per client address.',
        'same-as-key': 'That of the plan of the key.',
        zero: 'None is left: limit 0, remaining 0.',
      },
      others: { another: 'Another one.' },
    },
    'limit-scope': {
      question: 'Is a rate limit that of one key, or do keys share it?',
      answers: { 'per-key': 'Each key has its own.' },
      others: { shared: 'The two keys of the run share one, as those of an account may.' },
    },
    'refused-requests': {
      question: 'Does a request that is answered with 400 or 404 count against the rate limit?',
      answers: { counted: 'Yes, as every request with a key.' },
      others: { 'not-counted': 'No, only those that are carried out count.' },
    },
    'retry-after-form': {
      question: 'Which form does Retry-After have?',
      answers: { seconds: 'A number of seconds.', 'http-date': 'An HTTP date.' },
    },
    ban: {
      question: 'Is a key banned for a while after repeated excess, and how is that answered?',
      answers: { none: 'No.' },
      others: {
        'banned-429': 'Yes, with 429 until the ban ends.',
        'banned-401': 'Yes, with 401 until the ban ends.',
        'banned-403': 'Yes, with 403 until the ban ends.',
      },
    },
    'body-size-limit': {
      question: 'How large may a request body be?',
      unobservable: 'Finding out would burden a shared environment, so no large body is sent.',
    },
  }),
  gapsInSection('9', {
    'after-removal': {
      question: `What answers getPet from ${removalDayInWords} on?`,
      answers: {
        'gone-410': '410 with an Error.',
        'not-found-404': '404 with an Error.',
        continues: 'It answers as before.',
      },
      others: { redirected: 'A redirection.', ...refusalsOf('It gets') },
    },
    'deprecation-headers': {
      question: 'Do answers of getPet announce the removal in headers?',
      answers: { sunset: 'Sunset and Link say when and what instead.', none: 'No.' },
      others: {
        deprecation: 'A Deprecation header, with or without Sunset and Link.',
        'sunset-only': 'Sunset alone says when.',
        'other-header': 'Another header, such as Link or Warning.',
      },
    },
    'version-policy': {
      question: 'How are future versions and breaking changes announced?',
      unobservable: 'No policy is shown.',
    },
  }),
];

/** Each entry of a union of tables. */
type EntriesOf<Table> = Table extends unknown
  ? { [Id in keyof Table]: { id: Id; gap: Table[Id] } }[keyof Table]
  : never;
type Entries = EntriesOf<(typeof stated)[number]['table']>;
type OpenGap = Extract<Entries, { gap: { answers: object } }>;

/** The id of a gap; a misspelt one does not compile. */
export type GapId = Entries['id'];

/** The id of a gap that an implementation can show. */
export type OpenGapId = OpenGap['id'];

/** One open question, with its section (the one that is silent). */
export interface Gap extends StatedGap {
  readonly id: GapId;
  readonly section: SectionId;
  readonly answers: Readonly<Record<string, string>>;
  /** The answer of the reference server, a key of `answers`; missing where no request can show one. */
  readonly reference?: string;
}

/** Every open question of the interface, in the order of its sections. */
export const gaps: readonly Gap[] = stated.flatMap(({ section, table }) =>
  Object.entries<StatedGap>(table).map(([id, { answers = {}, ...gap }]): Gap => {
    const [reference] = Object.keys(answers);
    return { id: id as GapId, section, ...gap, answers, ...(reference === undefined ? {} : { reference }) };
  }),
);

/** One answer of the reference server for each gap that an implementation can show. */
export type ReferenceAnswers = { [Id in OpenGapId]: keyof Extract<OpenGap, { id: Id }>['gap']['answers'] };

/** The answer that a server gives to each gap. A size may follow, as in `fewer 50` or `minute 60`. */
export type GapChoices = { [Id in OpenGapId]: ReferenceAnswers[Id] | `${ReferenceAnswers[Id] & string} ${number}` };

type OthersOf<One> = One extends { readonly others: infer Others } ? keyof Others : never;

/** The id of an answer to an open question: one that the reference server can give, or one that is only observed. */
export type AnswerId<Id extends OpenGapId = OpenGapId> =
  | ReferenceAnswers[Id]
  | OthersOf<Extract<OpenGap, { id: Id }>['gap']>;
