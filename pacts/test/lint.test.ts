/** Lint gives each interaction of lint-corpus.txt its remarks: none to those that claim only what the interface states. */

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lintPact, type Remark, remarkCodes, showReason } from '../lint/lint-pact.ts';
import { type Pact, type PactFields, readPact, writePact } from '../pact.ts';
import { startVerifier } from '../verify/verifier.ts';
import { pactFrom, pactOfOne } from './in-process.ts';
import version2 from './shelter-kiosk-version-2.json' with { type: 'json' };
import version3 from './vet-app-version-3.json' with { type: 'json' };

const verifier = startVerifier();
const lint = (pact: Pact): Promise<readonly Remark[]> => lintPact(pact, verifier);

const key = { Authorization: ['Bearer any'] };
const json = { 'Content-Type': ['application/json'] };
const wrapped = (content: unknown) => ({ contentType: 'application/json', encoded: false, content });

/** A cell: words, a body as JSON, and further fields as name=JSON. */
function readCell(cell: string): readonly [words: string, fields: PactFields] {
  const [first = '', ...fields] = cell.split(/ (?=[a-z]+=[{"])/);
  const [, words = '', , body] = /^([^"[{]*?)( (["[{].*))?$/s.exec(first)!;
  const named = fields.map((one): [string, unknown] => {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(one)!;
    return [name, JSON.parse(value)];
  });
  const content = body === undefined ? {} : { body: wrapped(JSON.parse(body)) };
  return [words.trim(), { ...content, ...Object.fromEntries(named) }];
}

/** A rule in words: "type", "regex …", "min 1 max 5". */
function ruleOf(rule: unknown): unknown {
  if (typeof rule !== 'string') return rule;
  const [match = '', ...rest] = rule.split(' ');
  if (match === 'regex') return { matchers: [{ match, regex: rest.join(' ') }] };
  const sizes = [...rule.matchAll(/(min|max) (\d+)/g)].map(([, name = '', size]) => [name, Number(size)]);
  return { matchers: [{ match: sizes.length > 0 ? 'type' : match, ...Object.fromEntries(sizes) }] };
}

function rulesOf(rules: unknown = {}): object {
  return Object.fromEntries(Object.entries(rules as object).map(([path, rule]) => [path, ruleOf(rule)]));
}

function interactionOf(description: string, request: string, answer: string, states: string): object {
  const [words, sent] = readCell(request);
  const [method, target = ''] = words.split(' ');
  const [path, query = ''] = target.split('?');
  const [status, { rules = { $: 'type' }, header, ...expected }] = readCell(answer);
  const named = states.split(' & ').filter((one) => one !== '');
  const of = (body: unknown, headers: object) => (body === undefined ? {} : headers);
  return {
    type: 'Synchronous/HTTP',
    description,
    providerStates: named.map((one) => {
      const [, name, params = '{}'] = /^([^{]*?)(?: ({.*))?$/.exec(one)!;
      return { name, params: JSON.parse(params) };
    }),
    request: { method, path, query, headers: { ...key, ...of(sent['body'], json) }, ...sent },
    response: {
      status: Number(status),
      headers: of(expected['body'], json),
      matchingRules: { body: of(expected['body'], rulesOf(rules)), header: rulesOf(header) },
      ...expected,
    },
  };
}

const table = readFileSync(new URL('lint-corpus.txt', import.meta.url), 'utf8').trimEnd();
const [, ...cells] = table.split('\n').map((row) => row.split(/ \|(?: |$)/));
const interactions = cells.map(([name = '', request = '', answer = '', states = '']) =>
  interactionOf(name, request, answer, states),
);
const corpus = await lint(pactFrom({ interactions }));

/** A remark as a row has it. */
function inShort({ code, gap, section, service }: Remark): string {
  const place = gap ?? (section === undefined ? '' : `§${section}`);
  return [code.replace(/^claim-/, ''), place, service].filter((part) => part).join(' ');
}

for (const [name = '', , , , remarks = ''] of cells) {
  test(`${name}: ${remarks || 'no remark'}`, () => {
    const own = corpus.filter(({ interaction }) => interaction === name);
    assert.is(own.map(inShort).join(', '), remarks, own.map(showReason).join('\n'));
  });
}

/** The beginning of an interaction's name → what its remark says. */
const said: Readonly<Record<string, RegExp>> = {
  'a path that is not shown':
    /^claims what the interface does not promise \(§4\.4\): response\.status: expected 200 but was 404 \[claim-contradicted\]$/,
  'an Error without a body': /Expected empty body but received Present/,
  'a limit of none': /\(gap limit-out-of-range\): .* but was 400; a service like limit-out-of-range=clamped answers so/,
  'an exact id': /\(§4\.3\): \$\.id: Expected 31 .* see petstore-server --service thirty-animals \[claim-left-open\]$/,
  'a state outside the vocabulary': /^cannot be verified: .*"the moon is full"; known are "an animal/,
  'the key in another scheme': /^breaks a client requirement \(§5\): .* received it in another scheme of the Auth/,
  'the key in the body as well': /received it in the body \[client-key-in-header\]$/,
  'values outside their range': /expected name to be a string, received 5/,
};

for (const [name, text] of Object.entries(said)) {
  test(`the remark on ${name} says why`, () => {
    const own = corpus.filter(({ interaction }) => interaction === name).map(showReason);
    const isSaid = own.some((one) => text.test(one));
    assert.ok(isSaid, own.join('\n'));
  });
}

test('the largest int64 is valid, and the next number is not', async () => {
  const request = { method: 'POST', path: '/pets', body: wrapped({ name: 'Rex', categoryId: 0 }) };
  const text = writePact(pactOfOne({ ...request, headers: { ...key, ...json } }, { status: 201 }));
  const codesFor = async (digits: string): Promise<readonly string[]> => {
    const pact = readPact(text.replace('"categoryId":0', `"categoryId":${digits}`), 'large.json');
    return (await lint(pact)).map(({ code }) => code);
  };
  assert.equal(await codesFor('9223372036854775807'), []);
  assert.equal(await codesFor('9223372036854775808'), ['claim-contradicted', 'client-values-in-range']);
});

test('a pending interaction claims as much as any other', async () => {
  const request = { method: 'GET', path: '/pets', headers: key };
  const codes = (await lint(pactOfOne(request, { status: 204 }, { pending: true }))).map(({ code }) => code);
  assert.equal(codes, ['claim-contradicted']);
});

test('a message beside interactions is a remark of its own', async () => {
  const list = {
    description: 'a listing',
    request: { method: 'get', path: '/pets', headers: { Authorization: 'Bearer x' } },
  };
  const metadata = { pactSpecification: { version: '3.0.0' } };
  const remarks = await lint(pactFrom({ interactions: [list], messages: [{ description: 'an event' }], metadata }));
  assert.equal(
    remarks.map((one) => `${one.interaction} ${showReason(one)}`),
    ['an event cannot be verified: it is a message, but the interface shows none [not-verifiable]'],
  );
});

test('the documentation names every code, and no line contains a key that the client sends in the wrong place', () => {
  assert.not.match(corpus.map(showReason).join(), /of-the-client|b2Y6Y2xpZW50/);
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const ofClients = corpus.map(({ code }) => code).filter((code) => code.startsWith('client-'));
  for (const code of [...Object.keys(remarkCodes), ...ofClients]) assert.ok(text.includes(`\`${code}\``), code);
});

test('the pacts of versions 2 and 3 get no remark', async () => {
  for (const pact of [version2, version3]) assert.equal((await lint(pactFrom(pact))).map(showReason), []);
});

test.after(() => verifier.close());
test.run();
