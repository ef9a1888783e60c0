/** One defect is reported under the requirement that it breaks, once, and nothing that follows from it beside it. */

import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { findFault } from '../../faults/index.ts';
import { isJsonObject, type JsonValue } from '../../http/json.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { runConformance } from '../../run/run.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { snowflakeIds } from '../../services/forms.ts';
import { createClock, inProcess } from '../../services/in-process.ts';
import { changePage, exchanging } from '../../services/page-changes.ts';
import { cappedAt } from '../../services/visibility.ts';
import {
  apiKey,
  type Call,
  changeAnswer,
  changeCreated,
  errorAnswer,
  headerNumber,
  keysOfTrials,
  layers,
  readCall,
  requestHeader,
  type Wrap,
  withHeader,
  withKey,
} from '../../services/wraps.ts';
import { type Cause, causesOf } from '../../verdict/causes.ts';
import { sentenceOf } from '../../verdict/failure.ts';

const fault = (id: string): Wrap => findFault(id).wrap;

/** A server that serves some requests without a valid key. */
const publicly =
  (isPublic: (call: Call) => boolean): Wrap =>
  (handle) =>
  (request, now) => {
    const call = readCall(request, now, keysOfTrials);
    return handle(!call.isAuthorized && isPublic(call) ? withKey(request, keysOfTrials.api) : request, now);
  };

/** A server that answers requests with a wrong key by what else is wrong with them. */
const beforeKey = (status: number, isWrong: (call: Call) => boolean): Wrap =>
  changeAnswer((answer, call) => (!call.isAuthorized && isWrong(call) ? errorAnswer(status, answer) : undefined));

const isWrongQuery = ({ operation, query }: Call): boolean =>
  operation === 'listPets' && query.has('limit') && !/^([1-9]\d?|100)$/.test(query.get('limit') ?? '');

const isOtherType = ({ operation, request }: Call): boolean =>
  operation === 'createPet' && !/json/.test(requestHeader(request, 'content-type') ?? '');

/** A server that answers a creation as a store of its own would, which it then throws away. */
const storesNothing: Wrap = (handle) => {
  let id = 100;
  return (request, now) => {
    const { operation, isAuthorized } = readCall(request, now, keysOfTrials);
    const dry = createPetStore({ keys: trialKeys }).handle(request, now);
    if (operation !== 'createPet' || !isAuthorized || dry.status !== 201) return handle(request, now);
    id += 1;
    const counted = handle({ ...request, body: new Uint8Array() }, now);
    return { ...counted, status: 201, body: dry.body.replace(/"id":\d+/, `"id":${id}`) };
  };
};

/** An animal whose id has passed through a double. */
function roundId(entry: JsonValue): JsonValue {
  return isJsonObject(entry) && typeof entry['id'] === 'bigint' ? { ...entry, id: BigInt(Number(entry['id'])) } : entry;
}

/** Pages whose animals have other names for their fields. */
const changeFields = (rename: (key: string) => string): Wrap =>
  changePage((page) =>
    page.map((entry) =>
      isJsonObject(entry)
        ? Object.fromEntries(Object.entries(entry).map(([key, value]) => [rename(key), value]))
        : entry,
    ),
  );

type Expected = readonly [requirement: string, code: string, message: RegExp];

const causes: Readonly<Record<string, readonly [Wrap, ...Expected[]]>> = {
  'animals of pages stand within objects': [
    fault('animals-within-objects'),
    ['list-answer', 'not-an-animal', /^expected animals in the array, received \{"pet":\{/],
  ],
  'animals of pages have other names for their fields': [
    changeFields((key) => key.toUpperCase()),
    ['list-answer', 'not-an-animal', /^expected animals in the array, received \{"ID":\d+,"NAME":/],
  ],
  'the 201 has the id of the next animal': [
    fault('id-of-the-next-animal'),
    [
      'list-complete',
      'id-differs',
      /^expected the animal (\d+) in pages under the id of its 201, received its name with the id (?!\1\b)\d+$/,
    ],
  ],
  'the 201 has an id that no animal has, and pages show the first two animals': [
    layers(
      cappedAt(2),
      changeCreated((pet, _call, count) => ({ ...pet, id: 7_000_000_000n - BigInt(count) })),
    ),
    ['list-complete', 'id-differs', /^expected the animal 69999999\d\d in pages under the id of its 201/],
  ],
  'an id that a client sends becomes that of the animal': [
    fault('id-of-the-client'),
    ['pet-id-assigned', 'id-of-the-client', /^expected an id that the service assigned, received \d{19},/],
  ],
  'ids pass through a double in pages': [
    (handle) => changePage((page) => page.map(roundId))(snowflakeIds(handle, keysOfTrials), keysOfTrials),
    ['list-complete', 'id-differs', /with the id \d+, which is the same number when rounded to a double$/],
  ],
  'pages show other ids': [fault('id-other-in-pages'), ['list-complete', 'id-differs', /under the id of its 201/]],
  ...Object.fromEntries(
    (['name', 'id'] as const).map((field) => [
      `a page exchanges the ${field}s of two animals`,
      [exchanging(field), ['list-complete', 'id-differs', /in pages under the id of its 201, received its name with/]],
    ]),
  ),
  'the newest animal in pages has the name of the one before': [
    changePage(([...page]) => {
      const [before, last] = page.slice(-2);
      const name = isJsonObject(before) ? before['name'] : undefined;
      return isJsonObject(last) && name !== undefined ? [...page.slice(0, -1), { ...last, name }] : undefined;
    }),
    ['pet-name-kept', 'name-changed', /^expected name "[^"]+" in a page, received "/],
  ],
  'getPet exchanges the names of two animals': [
    fault('read-exchanges-names'),
    ['get-answer', 'another-animal', /as its 201 showed it, received the one that got the id \d+$/],
  ],
  'nothing is stored': [
    storesNothing,
    [
      'list-complete',
      'animal-missing',
      /from GET \/pets\?limit=100, .*, received an empty page; 3 animals of the run are missing/,
    ],
  ],
  'ids are null': [fault('id-null'), ['pet-id', 'id-wrong', /received null$/]],
  'ids are drawn from a clock of seconds': [
    fault('id-shared-by-a-moment'),
    ['pet-id-unique', 'id-assigned-twice', /^expected an id of its own for each created animal, received \d+ for two$/],
    ['list-complete', 'id-differs', /under the id of its 201/],
  ],
  'getPet is gone, for unknown animals, too': [
    fault('read-answers-gone-as-from-2030'),
    ['get-until-removal', 'removed-early', /received 410 for \d+ of \d+ reads$/],
  ],
  'a page shows an animal with the id of another': [
    fault('id-twice-in-a-page'),
    ['pet-id-unique', 'id-twice-in-page', /^expected every id once in a page, received \d+ twice$/],
  ],
  'a filter shows another status': [
    fault('filter-pending-shows-another'),
    ['list-status-filter', 'other-status', /^expected only animals that are pending, received one with status "\w+"$/],
  ],
  'pages without a limit hold 25': [
    fault('default-limit-25'),
    ['list-limit-default', 'too-many', /^expected a page of at most 20, received \d+ animals$/],
  ],
  'more remains than the limit': [
    fault('remaining-above-limit'),
    ['rate-remaining-header', 'above-limit', /^expected X-RateLimit-Remaining from 0 to the limit \d+, received \d+$/],
  ],
  'pages are wrapped': [fault('page-wrapped-in-data'), ['list-answer', 'not-an-array', /received \{"data":/]],
  'a page without a filter is filtered': [
    changePage((page, { query }) => (query.has('status') ? undefined : page.filter(isAvailable))),
    ['list-complete', 'animal-missing', /as if it were filtered by status,/],
  ],
  'getPet is forbidden now and then': [
    fault('read-forbidden-now-and-then'),
    ['get-answer', 'unexpected-status', /^expected 200 for the animal \d+, which exists, received 403$/],
  ],
  'getPet is gone now and then': [
    fault('read-answers-gone-now-and-then'),
    ['get-until-removal', 'removed-early', /^expected getPet to answer until 5 December 2030, received 410/],
  ],
  'errors are no JSON': [
    changeAnswer((answer) => (answer.status === 401 ? { ...answer, body: 'Unauthorized' } : undefined)),
    ['service-json', 'not-json', /received text that is no JSON$/],
    ['error-shape', 'not-json', /received no JSON$/],
  ],
  'errors are pages': [
    changeAnswer((answer) => (answer.status === 401 ? { ...answer, body: '\n<html>401</html>' } : undefined)),
    ['service-json', 'not-json', /received HTML or XML instead of JSON$/],
    ['error-shape', 'not-json', /received no JSON$/],
  ],
  'animals are written in the quotes of Python': [
    changeAnswer((answer, { operation }) =>
      operation === 'getPet' && answer.status === 200
        ? { ...answer, body: answer.body.replaceAll('"', "'") }
        : undefined,
    ),
    ['service-json', 'not-json', /received text that is no JSON from character 2 on: "'id':/],
  ],
  'bodies begin with a byte order mark': [
    changeAnswer((answer) => (answer.body === '' ? undefined : { ...answer, body: `\ufeff${answer.body}` })),
    ['service-json', 'not-json', /received a byte order mark in front of the JSON$/],
  ],
  'bodies are cut off': [
    changeAnswer((answer, { operation }) =>
      operation === 'getPet' && answer.status === 200 ? { ...answer, body: answer.body.slice(0, -9) } : undefined,
    ),
    ['service-json', 'not-json', /received JSON that is cut off/],
  ],
  'the limit repeats what remains': [
    changeAnswer((answer) =>
      withHeader(answer, 'X-RateLimit-Limit', String(headerNumber(answer, 'X-RateLimit-Remaining'))),
    ),
    ['rate-limit-header', 'alternates', /received \d+ and \d+ while X-RateLimit-Remaining fell by one each$/],
  ],
};

function isAvailable(entry: unknown): boolean {
  return (entry as { readonly status?: unknown }).status === 'available';
}

/** Ways to write an answer in other bytes than those of UTF-8, and their names. */
const encodings: Readonly<Record<string, readonly [(body: Buffer) => Uint8Array, RegExp]>> = {
  gzip: [gzipSync, /received gzip without Content-Encoding$/],
  'Latin-1': [
    (body) => Buffer.from(body.toString().replace(/"name":"/g, '"name":"\u00e9'), 'latin1'),
    /received JSON with bytes that are no UTF-8, as of Latin-1$/,
  ],
  'a lone continuation byte': [
    (body) => Buffer.concat([body.subarray(0, 1), Buffer.of(0x80), body.subarray(1)]),
    /received JSON with bytes that are no UTF-8/,
  ],
  'UTF-16': [(body) => Buffer.from(body.toString(), 'utf16le'), /received UTF-16 instead of UTF-8$/],
  'UTF-16 with a byte order mark': [
    (body) => Buffer.from(`\ufeff${body}`, 'utf16le'),
    /received UTF-16 instead of UTF-8$/,
  ],
};

for (const [encoding, [encode, message]] of Object.entries(encodings)) {
  test(`bodies are in ${encoding}: that is reported and nothing else`, async () => {
    const clock = createClock();
    const plain = inProcess(createPetStore({ keys: trialKeys }).handle, clock);
    const report = await runConformance({
      suite: conformanceSuite,
      settings: trialSettings(300, { hasRateLimitKey: false }),
      keys: { api: apiKey },
      transport: async (request) => {
        const answer = await plain(request);
        return { ...answer, body: encode(Buffer.from(answer.body)) };
      },
      clock,
      runTag: 'abc123',
    });
    const failing = report.requirements.filter(({ verdict }) => verdict === 'fail');
    assert.equal(
      failing.map(({ id }) => id),
      ['service-json'],
    );
    assert.match(sentenceOf(failing[0]!.failures[0]!), message);
  });
}

const isPublicListing = ({ operation }: Call): boolean => operation === 'listPets';
const missing = 'auth-missing-key';

/** What breaks several requirements on keys in one way: the failure that is shown for all of them. */
const causesOfKeys: Readonly<Record<string, readonly [Wrap, ...Expected]>> = {
  'listings are public': [publicly(isPublicListing), missing, 'accepted', /received 200$/],
  'one listing is public': [fault('listing-of-one-public'), missing, 'accepted', /received 200$/],
  'listings with a filter are public': [
    publicly(({ query }) => query.has('status')),
    missing,
    'accepted',
    /received 200$/,
  ],
  'listings with a limit are public': [
    publicly(({ query }) => query.has('limit')),
    missing,
    'accepted',
    /received 200$/,
  ],
  'the query is read before the key': [
    beforeKey(400, isWrongQuery),
    missing,
    'unexpected-status',
    /^expected 401 for no Authorization header, whatever else is wrong with the request, received 400$/,
  ],
  'the media type is read before the key': [
    beforeKey(415, isOtherType),
    missing,
    'unexpected-status',
    /, whatever else is wrong with the request, received 415$/,
  ],
  'every refused key gets 403': [
    changeAnswer((answer) => (answer.status === 401 ? errorAnswer(403, answer) : undefined)),
    missing,
    'unexpected-status',
    /^expected 401 for no Authorization header, received 403$/,
  ],
  'the key is accepted in another header': [
    fault('key-in-x-api-key'),
    'auth-bearer-header',
    'accepted',
    /^expected 401 for the key in .*X-API-Key.*, received 20[01]$/,
  ],
  'a cache serves its pages to anybody': [
    fault('cache-of-listPets-serves-anybody'),
    missing,
    'accepted',
    /^expected 401 for no Authorization header, received 200$/,
  ],
};

for (const [cause, [wrap, id, code, message]] of Object.entries(causesOfKeys)) {
  test(`${cause}: that is shown for everything that breaks`, async () => {
    const { handle } = createPetStore({ keys: trialKeys });
    const report = await runInProcess(wrap(handle, keysOfTrials), trialSettings(300, { hasRateLimitKey: false }));
    const [{ failure, requirements }, ...others] = causesOf(report) as [Cause, ...Cause[]];
    assert.equal([requirements[0].requirement.id, failure.code, others.length], [id, code, 0]);
    assert.match(sentenceOf(failure), message);
  });
}

for (const [cause, [wrap, ...expected]] of Object.entries(causes)) {
  test(`${cause}: that is reported and nothing else`, async () => {
    const { handle } = createPetStore({ keys: trialKeys });
    const report = await runInProcess(
      wrap(handle, keysOfTrials),
      trialSettings(300, { hasRateLimitKey: false, isDisposable: false }),
    );
    const failing = report.requirements.filter(({ verdict }) => verdict === 'fail');
    const shown = causesOf(report).filter(({ mark }) => mark === 'fail');
    assert.ok(
      shown.length > 0 && shown.length <= expected.length,
      shown.map(({ failure }) => sentenceOf(failure)).join('\n'),
    );
    for (const [id, code, message] of expected) {
      const failures = failing.find((one) => one.id === id)!.failures.filter((one) => one.code === code);
      assert.ok(
        failures.some((one) => message.test(sentenceOf(one))),
        failures.map(sentenceOf).join('\n'),
      );
    }
  });
}

for (const status of [200, 400, 403, 420, 500, 503]) {
  test(`a used-up key gets ${status} instead of 429: that is reported and nothing else`, async () => {
    const { handle } = createPetStore({ keys: trialKeys });
    const wrap = changeAnswer((answer) => (answer.status === 429 ? errorAnswer(status, answer) : undefined));
    const report = await runInProcess(wrap(handle, keysOfTrials), trialSettings(300));
    const failing = report.requirements.filter(({ verdict }) => verdict === 'fail');
    assert.equal(
      failing.map(({ id }) => id),
      ['rate-exceeded'],
    );
  });
}

test.run();
