/** One mistake is one cause, what only follows from it is shown with it, and two mistakes are two. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defined } from '../../../spec/defined.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { noKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { findCauses } from '../../verdict/causes.ts';
import type { Failing } from '../../verdict/finding.ts';
import { causesOf } from '../../verdict/shown-causes.ts';
import { exchangeOf, requirementOf } from '../run/hand-made.ts';

/** The requests of the rows, by the number of the exchange: anything else is a listing. From 51 on, they have no key. */
const requests: Readonly<Record<number, readonly [Exchange['operation'], string, string?]>> = {
  21: ['createPet', '/pets', '{"name":"Rex","categoryId":1}'],
  22: ['createPet', '/pets', '{"name":7,"categoryId":1}'],
  23: ['createPet', '/pets', '7'],
  24: ['createPet', '/pets', ''],
  31: ['listPets', '/pets?limit=0'],
  32: ['listPets', '/pets?status=unknown'],
  41: ['getPet', '/pets/7'],
  42: ['getPet', '/pets/abc'],
  51: ['listPets', '/pets?limit=0'],
  52: ['createPet', '/pets', ''],
};

function exchange(number: number): Exchange {
  const [operation, target, body] = requests[number] ?? ['listPets', '/pets'];
  const headers = { 'content-type': 'application/json' };
  const request = defined({ method: 'GET', target, headers, body });
  return exchangeOf(number, number > 50 ? { operation, request, credential: noKey.shown } : { operation, request });
}

/** A failure of one requirement, such as "create-invalid-values accepted status=201 input=name #7". */
function failing(text: string): Failing {
  const [requirement = '', code = '', ...facts] = text.split(' ');
  const read = (name: string): string | undefined => facts.find((one) => one.startsWith(name))?.slice(name.length);
  const [status, input] = [read('status='), read('input=')];
  const exchanges = facts.filter((one) => one.startsWith('#')).map((one) => exchange(Number(one.slice(1))));
  const failure = defined({
    code,
    expected: text,
    received: 'that',
    status: status === undefined ? undefined : Number(status),
    input: input === undefined ? undefined : { name: input, value: '' },
  });
  return { requirement, exchanges, failure } as Failing;
}

/** The failures of each cause. A failure is about each exchange that it names, as in a run about the creation of its animal. */
function causesIn(texts: readonly string[], answering: readonly string[]): readonly (readonly string[])[] {
  const byId = Map.groupBy(texts.map(failing), ({ requirement }) => requirement as RequirementId);
  const labels = ({ exchanges }: Pick<Failing, 'exchanges'>) => exchanges.map(({ number }) => `#${number}`);
  const causes = findCauses(byId, new Set(answering), labels);
  return causes.map((cause) => cause.flatMap(({ failures }) => failures.map(({ failure }) => failure.expected)));
}

const all = ['listPets', 'createPet', 'getPet'];

/** Failures by cause: one list each. */
const rows: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'one code of one requirement is one cause, and two are two': [
    ['list-complete animal-missing #1', 'list-complete animal-missing #2'],
    ['pet-id-unique id-twice-in-page #3'],
  ],
  'one answer with two mistakes has two causes': [
    ['pet-name-kept name-changed #21'],
    ['pet-category-id-kept categoryId-changed #21'],
    ['rate-limit-header missing #21'],
  ],
  'the headers of limits are missing together, and malformed together': [
    ['rate-limit-header missing #3', 'rate-reset-header missing #9'],
    ['rate-limit-header not-an-integer #4', 'rate-reset-header not-an-integer #5'],
  ],
  'a maximum that is ignored shows with a limit and without': [
    ['list-limit too-many #3', 'list-limit-default default-differs #9'],
  ],
  'an accepted value has no part in values that are changed': [
    ['create-invalid-values accepted input=categoryId #22'],
    ['pet-category-id-kept categoryId-changed #21'],
  ],
  'what was accepted is shown by its own animal': [
    ['create-invalid-values accepted input=categoryId #22', 'pet-category-id categoryId-not-int64 #22 #7'],
  ],
  'each field that is not validated is a mistake, whatever status came': [
    [
      'create-invalid-values accepted status=201 input=name #21',
      'create-invalid-values accepted status=200 input=name #22',
    ],
    ['create-invalid-values accepted status=201 input=status #23'],
    ['create-required-fields accepted status=201 #24'],
  ],
  'a status that is ignored is not looked at': [
    ['pet-status-kept status-changed #21', 'create-invalid-values accepted input=status #22'],
  ],
  'a filter that is ignored refuses nothing': [
    ['list-status-filter other-status #1', 'list-status-refused not-refused status=200 #32'],
    ['list-limit-refused not-refused status=200 #31'],
  ],
  'an id that is none is no id of an animal': [
    [
      'pet-id id-missing #1',
      'pet-id-unique id-in-use #8',
      'list-complete id-differs #3',
      'get-answer unexpected-status status=404 #41',
    ],
  ],
  'who needs no key accepts any': [
    ['auth-missing-key accepted #1', 'auth-invalid-key accepted #2', 'auth-bearer-header accepted #3'],
  ],
  'where a missing key is refused, keys that are accepted have causes of their own': [
    ['auth-invalid-key accepted #2'],
    ['auth-bearer-header accepted #3'],
  ],
  'a body that is read before the key is no accepted key': [
    ['auth-bearer-header accepted status=200 #2'],
    ['auth-invalid-key unexpected-status status=400 #3', 'auth-missing-key unexpected-status status=400 #4'],
  ],
  'an Error that is no JSON has the cause of what is no JSON, and so has a refusal without Error': [
    ['service-json not-json #1', 'error-shape not-json #2', 'list-limit-refused refusal-without-error #3'],
  ],
  "what is not the service's own Error lacks several fields": [
    [
      'error-code code-missing #2',
      'error-message message-missing #6',
      'error-status status-missing #9',
      'list-status-refused refusal-without-error #3',
    ],
    ['pet-status status-wrong #5'],
  ],
  'a listed status is one mistake within its area, another one everywhere': [
    ['get-not-found unexpected-status status=400 #41', 'get-id-not-int64 found status=400 #42'],
    ['list-answer unexpected-status status=400 #3'],
    ['create-answer unexpected-status status=422 #21', 'list-answer unexpected-status status=422 #5'],
  ],
  'errors of the server are told apart by the operation and by what is wrong with the request': [
    [
      'create-malformed-body unexpected-status status=500 #23',
      'create-required-fields unexpected-status status=500 #24',
    ],
    ['create-invalid-values unexpected-status status=500 #22'],
    ['create-answer unexpected-status status=500 #21', 'errors-listed server-error status=500 #21'],
    ['errors-listed server-error status=500 #31'],
    ['errors-listed server-error status=501 #32'],
    ['errors-listed no-answer #41'],
    ['errors-listed no-answer #1'],
  ],
  'errors of the server to a wrong key are one mistake in all operations': [
    ['auth-missing-key unexpected-status status=500 #51', 'errors-listed server-error status=500 #52'],
    ['list-limit-refused server-error status=500 #31'],
  ],
  'two statuses that no operation lists are two mistakes': [
    ['create-answer unexpected-status status=422 #21'],
    ['list-answer unexpected-status status=418 #5'],
  ],
  'an area is the whole first word of an id': [
    ['error-code unexpected-status status=400 #3'],
    ['errors-listed unexpected-status status=400 #4'],
  ],
  'a third failure joins what the first has of it': [
    [
      'error-shape not-json status=400 #3',
      'error-code unexpected-status status=400 #4',
      'service-json not-json status=200 #5',
    ],
  ],
  'a status that is ignored is accepted, whatever it is': [
    ['pet-status-kept status-changed #21', 'create-invalid-values accepted input=status #22'],
    ['create-invalid-values accepted input=name #23'],
    ['create-required-fields accepted #24'],
  ],
  'a value without an input does not follow from a status that is ignored': [
    ['pet-status-kept status-changed #21'],
    ['create-invalid-values accepted #22'],
  ],
  'what shows a mistake in one of two animals only has a cause of its own': [
    ['create-invalid-values accepted input=name #22'],
    ['pet-name name-wrong #22', 'pet-name name-wrong #7'],
  ],
  'what shows a mistake by one of two requirements only has a cause of its own': [
    ['create-invalid-values accepted input=categoryId #22'],
    ['pet-category-id categoryId-wrong #22', 'pet-category-id-kept categoryId-changed #21'],
  ],
};

for (const [title, expected] of Object.entries(rows)) {
  test(title, () => {
    const sorted = (some: readonly (readonly string[])[]) => some.map((one) => one.toSorted()).toSorted();
    assert.equal(sorted(causesIn(expected.flat(), all)), sorted(expected));
  });
}

test('an operation that gives nothing but errors is one cause', () => {
  const texts = [31, 32, 1].map((number) => `errors-listed server-error status=500 #${number}`);
  assert.equal(causesIn(texts, ['createPet']), [texts]);
  assert.is(causesIn(texts, all).length, 3);
});

test('a service that gives nothing but errors has one cause', () => {
  const texts = ['errors-listed server-error status=500 #1', 'errors-listed server-error status=501 #41'];
  assert.equal(causesIn(texts, []), [texts]);
});

test('what follows from a later cause is shown with that, and of two that follow from each other the first leads', () => {
  const cut = 'pet-id id-missing #1';
  const reused = 'pet-id-unique id-in-use #8';
  assert.equal(causesIn([reused, cut], all), [[cut, reused]]);
  const [differs, another] = ['list-complete id-differs #3', 'get-answer another-animal #41'];
  assert.equal(causesIn([differs!, another!], all), [[differs, another]]);
  assert.equal(causesIn([another!, differs!], all), [[another, differs]]);
});

test('a mistake comes before what follows from it', () => {
  const [found] = causesIn(
    ['pet-category-id categoryId-wrong #7 #22', 'create-invalid-values accepted input=categoryId #22'],
    all,
  );
  assert.equal(found, [
    'create-invalid-values accepted input=categoryId #22',
    'pet-category-id categoryId-wrong #7 #22',
  ]);
});

test('of failures of animals, what a creation shows comes first; of others, what the interface states first', () => {
  const [rounded] = causesIn(
    ['pet-category-id categoryId-not-int64 #1', 'pet-category-id-kept categoryId-changed #21'],
    all,
  );
  assert.equal(rounded, ['pet-category-id-kept categoryId-changed #21', 'pet-category-id categoryId-not-int64 #1']);
  const [missing] = causesIn(['rate-limit-header missing #1', 'rate-reset-header missing #21'], all);
  assert.equal(missing, ['rate-limit-header missing #1', 'rate-reset-header missing #21']);
});

test('a report shows the worst cause first, then the order of the interface, and each requirement of it once', () => {
  const failure = (code: string) => ({ code, expected: '', received: '', exchanges: [1], curl: '' });
  const broken = (id: RequirementId, ...codes: readonly string[]) => {
    return { ...requirementOf(id), verdict: 'fail', evidence: 1, failures: codes.map(failure) } as const;
  };
  const waiver = { reason: '', owner: '', expires: '2030-01-01', state: 'waived' } as const;
  const causes = causesOf({
    requirements: [
      { ...broken('service-json', 'a'), waiver },
      { ...broken('list-limit-refused', 'b'), level: 'advised', verdict: 'warn' },
      broken('list-limit', 'c', 'd', 'e'),
      broken('pet-id', 'f'),
    ],
    causes: [
      { requirements: [{ id: 'service-json', failures: [0] }] },
      {
        requirements: [
          { id: 'list-limit-refused', failures: [0] },
          { id: 'list-limit', failures: [1] },
          { id: 'list-limit', failures: [2] },
        ],
      },
      { requirements: [{ id: 'pet-id', failures: [0] }], where: { failing: 1, holding: 2 } },
      // A report of a stranger may name what it does not hold.
      { requirements: [{ id: 'pet-name', failures: [0] }] },
      { requirements: [{ id: 'pet-id', failures: [7] }] },
    ],
  });
  const shown = causes.map(({ mark, failure: first, requirements, where }) => {
    const parts = requirements.map(
      ({ requirement, failures }) => `${requirement.id} ${failures.map(({ code }) => code).join('')}`,
    );
    return [mark, first.code, parts.join(', '), where?.holding];
  });
  assert.equal(shown, [
    ['fail', 'd', 'list-limit de, list-limit-refused b', undefined],
    ['fail', 'f', 'pet-id f', 2],
    ['waived', 'a', 'service-json a', undefined],
  ]);
});

test.run();
