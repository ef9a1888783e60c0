/** One defect is reported under the requirement that it breaks, and nothing that follows from it beside it: servers that no fault makes. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore, readHeader } from '../../../reference-server/index.ts';
import { createTwin } from '../../../reference-server/twin/gaps.ts';
import { findFault } from '../../faults/index.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../http/json.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { runConformance } from '../../run/run.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { snowflakeIds } from '../../services/forms.ts';
import { createClock, inProcess } from '../../services/in-process.ts';
import { changePage } from '../../services/pages.ts';
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
  type Wrap,
  withHeader,
  withKey,
} from '../../services/wraps.ts';
import { causesOf } from '../../verdict/causes.ts';
import { sentenceOf } from '../../verdict/finding.ts';

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
  operation === 'createPet' && !/json/.test(readHeader(request, 'content-type'));

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

const changeAnimals = (change: (pet: JsonObject) => JsonValue): Wrap =>
  changePage((page) => page.map((entry) => (isJsonObject(entry) ? change(entry) : entry)));

/** The body of every 401, or of every animal that is read. */
const changeBody = (status: 200 | 401, change: (body: string) => string): Wrap =>
  changeAnswer((answer, { operation }) => {
    const isChanged = answer.status === status && (status === 401 || operation === 'getPet');
    return isChanged ? { ...answer, body: change(answer.body) } : undefined;
  });

const throughDouble: Wrap = () =>
  changeAnimals((pet) => (typeof pet['id'] === 'bigint' ? { ...pet, id: BigInt(Number(pet['id'])) } : pet))(
    createTwin({ keys: trialKeys, behaviour: snowflakeIds }).handle,
    keysOfTrials,
  );

/** What is wrong with a server → the requirement and the code of the only cause, and its sentence. */
const rows: Readonly<Record<string, readonly [wrap: Wrap, requirement: string, code: string, sentence: RegExp]>> = {
  'animals of pages have other names for their fields': [
    changeAnimals((pet) => Object.fromEntries(Object.entries(pet).map(([key, value]) => [key.toUpperCase(), value]))),
    'list-answer',
    'not-an-animal',
    /^expected animals in the array, received \{"ID":\d+,"NAME":/,
  ],
  'the 201 has an id that no animal has, and pages show the first two animals': [
    layers(
      changePage((page) => page.slice(0, 2)),
      changeCreated((pet, _call, count) => ({ ...pet, id: 7_000_000_000n - BigInt(count) })),
    ),
    'list-complete',
    'id-differs',
    /^expected the animal 69999999\d\d in pages under the id of its 201/,
  ],
  'ids pass through a double in pages': [
    throughDouble,
    'list-complete',
    'id-differs',
    /with the id \d+, which is the same number when rounded to a double$/,
  ],
  'a page exchanges the ids of two animals': [
    findFault('page-exchanges-ids').wrap,
    'list-complete',
    'id-differs',
    /in pages under the id of its 201, received its name with/,
  ],
  'the newest animal in pages has the name of the one before': [
    changePage(([...page]) => {
      const [before, last] = page.slice(-2);
      const name = isJsonObject(before) ? before['name'] : undefined;
      return isJsonObject(last) && name !== undefined ? [...page.slice(0, -1), { ...last, name }] : undefined;
    }),
    'pet-name-kept',
    'name-changed',
    /^expected name "[^"]+" in a page, received "/,
  ],
  'nothing is stored': [
    storesNothing,
    'list-complete',
    'animal-missing',
    /from GET \/pets\?limit=100, .*, received an empty page; 3 animals of the run are missing/,
  ],
  'a page without a filter is filtered': [
    changePage((page, { query }) =>
      query.has('status') ? undefined : page.filter((pet) => isJsonObject(pet) && pet['status'] === 'available'),
    ),
    'list-complete',
    'animal-missing',
    /as if it were filtered by status,/,
  ],
  'errors are no JSON': [
    changeBody(401, () => 'Unauthorized'),
    'service-json',
    'not-json',
    /received text that is no JSON$/,
  ],
  'errors are pages': [
    changeBody(401, () => '\n<html>401</html>'),
    'service-json',
    'not-json',
    /received HTML or XML instead of JSON$/,
  ],
  'animals are written in the quotes of Python': [
    changeBody(200, (body) => body.replaceAll('"', "'")),
    'service-json',
    'not-json',
    /received text that is no JSON$/,
  ],
  'bodies are cut off': [
    changeBody(200, (body) => body.slice(0, -9)),
    'service-json',
    'not-json',
    /received JSON that is cut off/,
  ],
  'bodies begin with a byte order mark': [
    changeAnswer((answer) => (answer.body === '' ? undefined : { ...answer, body: `\ufeff${answer.body}` })),
    'service-json',
    'not-json',
    /received a byte order mark in front of the JSON$/,
  ],
  'the limit repeats what remains': [
    changeAnswer((answer) =>
      withHeader(answer, 'X-RateLimit-Limit', String(headerNumber(answer, 'X-RateLimit-Remaining'))),
    ),
    'rate-limit-header',
    'alternates',
    /received \d+ and \d+ while X-RateLimit-Remaining fell by one each$/,
  ],
  'listings are public': [
    publicly(({ operation }) => operation === 'listPets'),
    'auth-missing-key',
    'accepted',
    /received 200$/,
  ],
  'listings with a filter are public': [
    publicly(({ query }) => query.has('status')),
    'auth-missing-key',
    'accepted',
    /received 200$/,
  ],
  'the query is read before the key': [
    beforeKey(400, isWrongQuery),
    'auth-missing-key',
    'unexpected-status',
    /^expected 401 for no Authorization header, whatever else is wrong with the request, received 400$/,
  ],
  'the media type is read before the key': [
    beforeKey(415, isOtherType),
    'auth-bearer-header',
    'unexpected-status',
    /, whatever else is wrong with the request, received 415$/,
  ],
};

for (const [what, [wrap, id, code, sentence]] of Object.entries(rows)) {
  test(`${what}: that is reported and nothing else`, async () => {
    const { handle } = createPetStore({ keys: trialKeys });
    const settings = trialSettings(300, { hasRateLimitKey: false, isDisposable: false });
    const report = await runInProcess(wrap(handle, keysOfTrials), settings);
    const shown = causesOf(report).filter(({ mark }) => mark === 'fail');
    assert.is(shown.length, 1, shown.map(({ failure }) => sentenceOf(failure)).join('\n'));
    const failures = shown[0]!.requirements.find(({ requirement }) => requirement.id === id)?.failures ?? [];
    assert.ok(
      failures.some((one) => one.code === code && sentence.test(sentenceOf(one))),
      failures.map(sentenceOf).join('\n'),
    );
  });
}

/** Ways to write an answer in other bytes than those of UTF-8, and what is said of them. */
const encodings: Readonly<Record<string, readonly [(body: Buffer) => Uint8Array, RegExp]>> = {
  'Latin-1': [
    (body) => Buffer.from(body.toString().replace(/"name":"/g, '"name":"\u00e9'), 'latin1'),
    /received bytes that are no UTF-8$/,
  ],
  'UTF-16': [(body) => Buffer.from(body.toString(), 'utf16le'), /received text that is no JSON$/],
};

for (const [encoding, [encode, message]] of Object.entries(encodings)) {
  test(`bodies are in ${encoding}: that is reported and nothing else`, async () => {
    const clock = createClock();
    const plain = inProcess(createPetStore({ keys: trialKeys }).handle, clock);
    const report = await runConformance({
      suite: conformanceSuite,
      settings: trialSettings(60, { hasRateLimitKey: false }),
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

test.run();
