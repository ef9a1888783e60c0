/** One defect is shown as one cause, and what has several causes is not. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defined } from '../../../spec/defined.ts';
import { causesOf } from '../../verdict/causes.ts';
import type { ReportedRequirement } from '../../verdict/report.ts';

const sections: Readonly<Record<string, string>> = { auth: '5', rate: '8' };

/** A failure of one requirement, such as "create-invalid-values accepted status=201 input=name #7". */
function failing(text: string): ReportedRequirement {
  const [id = '', code = '', ...facts] = text.split(' ');
  const read = (name: string): string | undefined => facts.find((one) => one.startsWith(name))?.slice(name.length);
  const [status, input] = [read('status='), read('input=')];
  const failure = defined({
    code,
    expected: 'this',
    received: 'that',
    status: status === undefined ? undefined : Number(status),
    input: input === undefined ? undefined : { name: input, value: '' },
    exchanges: facts.filter((one) => one.startsWith('#')).map((one) => Number(one.slice(1))),
    curl: text,
  });
  const section = sections[id.split('-')[0]!] ?? '2';
  return { id, section, level: 'required', text: '', verdict: 'fail', evidence: 1, failures: [failure] } as never;
}

/** The failures of each cause; in a report those of one requirement stand together. */
function causesIn(...texts: readonly string[]): readonly (readonly string[])[] {
  const byId = Map.groupBy(texts.map(failing), ({ id }) => id);
  const requirements = [...byId.values()].map((all) => ({ ...all[0]!, failures: all.flatMap((one) => one.failures) }));
  return causesOf({ requirements }).map(({ requirements: own }) =>
    own.flatMap(({ failures }) => failures.map(({ curl }) => curl)),
  );
}

/** Failures by cause: one list each. */
const rows: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'one code of one requirement is one cause, and two are two': [
    ['list-limit too-many #1', 'list-limit too-many #2'],
    ['list-limit default-differs #3'],
  ],
  'failures that one answer shows have one cause': [
    ['pet-name name-missing #1 #3', 'list-answer not-an-array #2 #3'],
    ['create-answer created-twice #1 #2'],
  ],
  'within one requirement any shared exchange counts': [
    ['list-limit-default too-many #7', 'list-limit-default default-differs #6 #7 #8'],
    ['list-limit default-differs #6'],
  ],
  'failures of one page have causes of their own': [
    ['pet-id-unique id-twice-in-page #7'],
    ['list-limit too-many #7'],
    ['list-complete animal-missing #7'],
    ['list-status-filter other-status #7'],
    ['list-limit-default default-differs #7'],
    ['pet-name name-missing #7'],
  ],
  'headers of limits are a cause of their own in a wrong answer, and are missing together': [
    ['pet-name-kept name-changed #3'],
    ['rate-limit-header missing #3', 'rate-reset-header missing #9'],
  ],
  'pages are too long with a limit and without': [['list-limit too-many #3', 'list-limit-default too-many #9']],
  'headers of limits are malformed together': [
    ['rate-limit-header not-an-integer #3', 'rate-reset-header not-an-integer #9'],
  ],
  'in the sections on keys and on limits, all failures of a requirement have one cause': [
    ['auth-invalid-key accepted #1', 'auth-invalid-key unexpected-status #2'],
    ['rate-exceeded not-refused #3', 'rate-exceeded refused-early #4'],
  ],
  'the fields of animals break in several ways, each for itself': [
    [
      'pet-status status-wrong #1',
      'pet-status-kept status-changed #3',
      'list-status-filter other-status #4',
      'create-invalid-values accepted status=201 input=status #6',
    ],
    ['pet-name-kept name-changed #2', 'pet-name name-wrong #12'],
    ['error-status status-missing #5'],
    ['create-required-fields accepted status=201 #7'],
  ],
  'a number that is cut is not validated': [
    ['pet-category-id-kept categoryId-changed #1', 'create-invalid-values accepted status=201 input=categoryId #2'],
  ],
  "an id that is none, or the client's, is no id of an animal": [
    [
      'pet-id id-missing #1',
      'pet-id-assigned id-of-the-client #2',
      'pet-id-unique id-in-use #8',
      'list-complete id-differs #3',
    ],
  ],
  'who needs no key accepts any': [
    ['auth-missing-key accepted #1', 'auth-invalid-key accepted #2', 'auth-bearer-header accepted #3'],
  ],
  'without an accepted missing key, other accepted ones have causes of their own': [
    ['auth-invalid-key accepted #2'],
    ['auth-bearer-header accepted #3'],
  ],
  'an Error that is no JSON has the cause of what is no JSON, and so has a refusal without Error': [
    ['service-json not-json #1', 'list-limit-refused refusal-without-error #3', 'error-shape not-json #2'],
  ],
  'a refusal without an Error has the cause of the field that is wrong in Errors': [
    [
      'list-status-refused refusal-without-error #3',
      'error-code code-missing #2',
      'error-code code-wrong #4',
      'error-message message-missing #6',
      'error-message message-wrong #7',
      'error-shape not-an-object #8',
      'error-status status-missing #9',
      'error-status status-wrong #11',
    ],
    ['pet-status status-wrong #5'],
  ],
  'a listed status is one cause within its area, another one everywhere': [
    ['get-answer unexpected-status status=404 #1', 'get-until-removal removed-early status=404 #2'],
    ['list-answer unexpected-status status=404 #3'],
    ['create-answer unexpected-status status=422 #4', 'get-not-found unexpected-status status=422 #5'],
    ['pet-id unexpected-status status=418 #6'],
  ],
  'a success in place of a refusal is one cause only where it is the wrong success': [
    ['create-required-fields accepted status=201 #1'],
    ['create-malformed-body accepted status=201 #2'],
    ['create-required-fields unexpected-status status=200 #3', 'create-malformed-body unexpected-status status=200 #4'],
    ['get-not-found unexpected-status status=200 #5', 'get-id-not-int64 found status=200 #6'],
  ],
  'all errors of the server have one cause': [
    [
      'list-answer unexpected-status status=500 #1',
      'create-answer valid-refused status=500 #2',
      'get-answer unexpected-status status=501 #3',
      'errors-listed server-error status=500 #9',
    ],
  ],
};

for (const [title, expected] of Object.entries(rows)) {
  test(title, () => {
    const sorted = (all: readonly (readonly string[])[]) => all.map((one) => one.toSorted()).toSorted();
    assert.equal(sorted(causesIn(...expected.flat())), sorted(expected));
  });
}

test('the worst comes first, in the order of the report, and stands for its cause', () => {
  const waiver = { reason: '', owner: '', expires: '2030-01-01', state: 'waived' } as const;
  const causes = causesOf({
    requirements: [
      { ...failing('service-json not-json #8'), waiver },
      { ...failing('list-limit-refused not-refused #4'), level: 'advised', verdict: 'warn' },
      failing('list-limit other #4'),
      failing('pet-id id-missing #5'),
      { ...failing('auth-missing-key accepted #9'), verdict: 'warn' },
    ],
  });
  const found = causes.map(({ mark, failure, requirements }) => `${mark} ${failure.code} ${requirements.length}`);
  assert.equal(found, ['fail other 2', 'fail id-missing 1', 'warn accepted 1', 'waived not-json 1']);
});

test.run();
