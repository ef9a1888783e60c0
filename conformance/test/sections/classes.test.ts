/** The requests beyond three hundred range over whole classes of rare mistakes, on any service that is legal. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Handle } from '../../../reference-server/index.ts';
import { seededRandom } from '../../../spec/random.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../http/json.ts';
import { readNewPet, readRequestJson } from '../../http/read-request.ts';
import { pageOf, statusOf } from '../../http/read-response.ts';
import { runInProcess, trialSettings } from '../../proof/trial.ts';
import { drawPieces, packName } from '../../sections/4.2-create-pet/name-classes.ts';
import { handleOf } from '../../services/index.ts';
import { keysOfTrials, refuseBodies, sentPet, unknownFieldsOf, withBody } from '../../services/wraps.ts';
import { reasonInWords } from '../../verdict/reasons.ts';

async function sentTo(handle: Handle): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  const settings = trialSettings(1_000, { hasRateLimitKey: false });
  const report = await runInProcess(handle, settings, { onExchange: (exchange) => exchanges.push(exchange) });
  assert.is(report.exitCode, 0, reasonInWords(report.reason));
  return exchanges;
}

const openServer = (): Handle => handleOf({ id: 'usual', perMinute: 100_000 }, 1);
const exchanges = await sentTo(openServer());

function fieldsOf({ request }: Exchange): JsonObject {
  const reading = readRequestJson(request);
  return 'value' in reading && isJsonObject(reading.value) ? reading.value : {};
}

function typeOf(value: JsonValue | undefined): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value === 'bigint' ? 'number' : typeof value;
}

test('every limit below a hundred is asked for when more animals exist, so that the page proves it', () => {
  const proven = new Set(
    exchanges.flatMap((exchange) => {
      const limit = Number(new URLSearchParams(exchange.request.target.split('?')[1]).get('limit'));
      return exchange.operation === 'listPets' && pageOf(exchange)?.length === limit ? [limit] : [];
    }),
  );
  const limits = Array.from({ length: 99 }, (_nothing, at) => at + 1);
  assert.equal(
    limits.filter((limit) => !proven.has(limit)),
    [],
  );
});

test('unknown fields and ids of every JSON type are sent with valid animals', () => {
  const accepted = exchanges.filter((exchange) => exchange.operation === 'createPet' && statusOf(exchange) === 201);
  const ids = new Set(accepted.map((exchange) => typeOf(fieldsOf(exchange)['id'])));
  assert.equal([...ids].sort(), ['array', 'boolean', 'null', 'number', 'object', 'string', 'undefined']);
  const unknown = accepted.flatMap((exchange) => {
    const { id: _id, name: _name, categoryId: _category, status: _status, ...more } = fieldsOf(exchange);
    return Object.values(more).map(typeOf);
  });
  assert.equal([...new Set(unknown)].sort(), ['array', 'boolean', 'null', 'number', 'object', 'string']);
});

test('each field is invalid with each JSON type, beside no status and each', () => {
  const seen = new Set(
    exchanges.flatMap((exchange) => {
      const { name, categoryId, status } = fieldsOf(exchange);
      const reading = exchange.operation === 'createPet' && readNewPet(exchange).kind === 'invalid';
      return reading ? [`name ${typeOf(name)} ${status}`, `categoryId ${typeOf(categoryId)} ${status}`] : [];
    }),
  );
  const statuses = ['undefined', 'available', 'pending', 'sold'];
  const nameTypes = ['undefined', 'null', 'boolean', 'number', 'array', 'object'];
  for (const status of statuses) {
    for (const type of nameTypes) assert.ok(seen.has(`name ${type} ${status}`), `name ${type} ${status}`);
    const types = [...nameTypes, 'string'];
    for (const type of types) assert.ok(seen.has(`categoryId ${type} ${status}`), `categoryId ${type} ${status}`);
  }
});

/** Whether a body has only the three fields, and says which of the first two is missing. */
function missingIn(exchange: Exchange): string {
  const { status, ...others } = fieldsOf(exchange);
  return exchange.operation === 'createPet' ? `${Object.keys(others).join()} ${status}` : '';
}

test('each required field is missing beside each status, on a target that refuses unknown fields, too', async () => {
  const strict = refuseBodies((call) => {
    const pet = sentPet(call);
    return call.isAuthorized && (Object.hasOwn(pet, 'id') || unknownFieldsOf(pet).length > 0);
  });
  const bodies = await sentTo(strict(openServer(), keysOfTrials));
  const missing = new Set(bodies.map(missingIn));
  for (const status of ['undefined', 'available', 'pending', 'sold']) {
    assert.ok(missing.has(`name ${status}`), status);
    assert.ok(missing.has(`categoryId ${status}`), status);
  }
  const inCompany = bodies.filter(({ check }) => check === 'invalid-bodies-in-company');
  const withMore = inCompany.filter((exchange) => Object.hasOwn(fieldsOf(exchange), 'colour'));
  assert.ok(inCompany.length > 60 && withMore.length < 2, `${inCompany.length} ${withMore.length}`);
});

test('where names with a certain character are refused, the other pieces of such a name are sent again without it', async () => {
  const usual = openServer();
  const picky: Handle = (request, now) => {
    const isRefused = /[\u{1f300}-\u{1f64f}]/u.test(new TextDecoder().decode(request.body));
    return usual(isRefused && request.method === 'POST' ? withBody(request, '{}') : request, now);
  };
  const creations = (await sentTo(picky)).filter(({ check }) => check === 'drawn-animals');
  // A name of one piece cannot be divided.
  const hasPieces = (exchange: Exchange): boolean => String(fieldsOf(exchange)['name']).split(' ').length > 4;
  const refused = creations.find(
    (exchange) =>
      statusOf(exchange) === 400 && /[\u{1f300}-\u{1f64f}]/u.test(exchange.request.body!) && hasPieces(exchange),
  );
  assert.ok(refused !== undefined);
  const words = String(fieldsOf(refused)['name']).split(' ').slice(1);
  const later = creations.filter((exchange) => statusOf(exchange) === 201 && exchange.number > refused.number);
  assert.ok(
    later.some(
      (exchange) =>
        String(fieldsOf(exchange)['name']).includes(words[0]!) ||
        String(fieldsOf(exchange)['name']).includes(words.at(-1)!),
    ),
  );
});

test('a packed name has its tag in front and exactly its length, and says how many pieces it holds', () => {
  const pieces = drawPieces(seededRandom(5));
  for (const length of [31, 64, 255, 1_000]) {
    const { name, taken } = packName('cf-abc123-01', pieces, length);
    assert.is(name.length, length);
    assert.ok(name.startsWith(['cf-abc123-01', ...pieces.slice(0, taken)].join(' ')));
  }
  assert.is(packName('cf-abc123-01', pieces, 9_999).taken, pieces.length);
});

test.run();
