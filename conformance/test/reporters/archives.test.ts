/** JSON and HAR: what programs read again is what the report holds. */

import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reportHar } from '../../reporters/har.ts';
import { reportJson } from '../../reporters/json.ts';
import { hostile, sampleReport } from './sample-report.ts';

/** The schemas are an old package of CommonJS. */
const require = createRequire(import.meta.url);
const { log } = JSON.parse(reportHar(sampleReport));

test('the JSON reads back as the same report, hostile text included', () => {
  assert.equal(JSON.parse(reportJson(sampleReport)), JSON.parse(JSON.stringify(sampleReport)));
  assert.is(JSON.parse(reportJson(sampleReport)).created[1].name, hostile);
});

test('an archive names its maker and the verdict', () => {
  assert.is(log.version, '1.2');
  assert.equal(log.creator, { name: 'petstore-conformance', version: '0.1.0' });
  assert.equal(
    log.comment.split('\n')[0],
    'Does not conform (3 of 12 requirements fail, 1 more waived; 12 of 53 requirements, --only; pact verify: 1 of 4 interactions hold): http://127.0.0.1:8080/v1',
  );
  assert.ok(log.comment.includes(`The waiver of list-limit-refused expired; ${hostile}`));
  assert.is(log.entries.length, sampleReport.exchanges.length);
});

test('an entry holds the request with its headers and body, and the response', () => {
  const [entry] = log.entries;
  assert.is(entry.startedDateTime, '2026-11-21T10:00:00.030Z');
  assert.is(entry.time, 3);
  assert.equal(entry.request, {
    cookies: [],
    headersSize: -1,
    httpVersion: 'HTTP/1.1',
    method: 'POST',
    url: 'http://127.0.0.1:8080/v1/pets',
    headers: [
      { name: 'content-type', value: 'application/json' },
      { name: 'x-tenant', value: hostile },
    ],
    queryString: [],
    bodySize: 38,
    postData: { mimeType: 'application/json', text: '{"name":"Rex abc123-1","categoryId":1}' },
  });
  assert.is(entry.response.status, 201);
  assert.equal(entry.response.headers[1], { name: 'x-ratelimit-limit', value: '60' });
  assert.equal(entry.response.content, {
    size: 45,
    mimeType: 'application/json',
    text: '{"id":7,"name":"Rex abc123-1","categoryId":1}',
  });
  assert.is(entry.comment, '#3 create-valid, with the API key');
  assert.is(entry._credential, 'the API key');
});

test('an archive has the parameters of a query, and the address of a redirect', () => {
  const entry = log.entries[3];
  assert.equal(entry.request.queryString, [
    { name: 'limit', value: '2' },
    { name: 'status', value: 'sold' },
  ]);
  assert.not.ok('postData' in entry.request);
  assert.is(entry.response.redirectURL, hostile);
});

test('a request without a response has status 0 and says why', () => {
  const entry = log.entries[4];
  assert.is(entry.response.status, 0);
  assert.equal(entry.response.headers, []);
  assert.is(entry.comment, `#7 list-filter, with the API key; no response: socket hang up ${hostile}`);
});

test('an archive is valid by the schemas of HAR 1.2', () => {
  const ajv = new Ajv({ strict: false });
  addFormats.default(ajv);
  ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json') as object);
  ajv.addSchema(Object.values(require('har-schema') as Readonly<Record<string, object>>));
  const validate = ajv.getSchema('har.json');
  assert.ok(validate !== undefined);
  for (const report of [sampleReport, { ...sampleReport, exchanges: [] }]) {
    assert.ok(validate(JSON.parse(reportHar(report))), ajv.errorsText(validate.errors));
  }
  assert.not.ok(validate({ log: { ...log, entries: [{ ...log.entries[0], request: {} }] } }));
});

test('a body that was cut says how long it was', () => {
  const [exchange] = sampleReport.exchanges;
  const response = { ...exchange!.response!, body: 'ab', bodyLength: 20_000 };
  const archive = JSON.parse(reportHar({ ...sampleReport, exchanges: [{ ...exchange!, response }] }));
  assert.is(archive.log.entries[0].response.content.comment, 'cut; all of it has 20000 UTF-16 units');
});

test.run();
