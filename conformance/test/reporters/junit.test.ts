/** JUnit XML: a case for each requirement, whose result has its reason, its exchanges and its curl line. */

import { readFileSync } from 'node:fs';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { validateXML } from 'xmllint-wasm';
import { escapeForTerminal } from '../../reporters/escape.ts';
import { exchangeLines, pointerInto } from '../../reporters/evidence.ts';
import { reportJunit } from '../../reporters/junit.ts';
import { countVerdicts } from '../../verdict/counts.ts';
import { sentenceOf } from '../../verdict/failure.ts';
import type { Report } from '../../verdict/report.ts';
import { hostile, sampleReport } from './sample-report.ts';

interface Result {
  readonly '@_message': string;
  readonly '@_type'?: string;
  readonly '#text': string;
}

interface TestCase {
  readonly '@_classname': string;
  readonly '@_name': string;
  readonly '@_time': string;
  readonly failure?: Result;
  readonly error?: Result;
  readonly skipped?: Result;
  readonly 'system-out'?: string;
}

interface TestSuite {
  readonly [attribute: `@_${string}`]: string;
  readonly properties?: { readonly property: readonly { readonly '@_name': string; readonly '@_value': string }[] };
  readonly testcase: readonly TestCase[];
}

/** Suite name → suite. */
function suitesOf(report: Report): ReadonlyMap<string, TestSuite> {
  const text = reportJunit(report);
  assert.is(XMLValidator.validate(text), true);
  const parser = new XMLParser({
    ignoreAttributes: false,
    htmlEntities: true,
    trimValues: false,
    parseTagValue: false,
    isArray: (name) => ['testsuite', 'testcase', 'property'].includes(name),
  });
  const suites: readonly TestSuite[] = parser.parse(text).testsuites.testsuite;
  return new Map(suites.map((suite) => [suite['@_name'] ?? '', suite]));
}

function caseOf(id: string): TestCase {
  const found = suitesOf(sampleReport)
    .get('requirements')
    ?.testcase.find((one) => one['@_name'].startsWith(`${id}: `));
  assert.ok(found !== undefined, id);
  return found;
}

const shown = escapeForTerminal(hostile);

test('each failure has its message, exchanges and curl line', () => {
  for (const { id, failures } of sampleReport.requirements.filter(
    ({ verdict }) => verdict === 'fail' || verdict === 'warn',
  )) {
    const { failure, skipped } = caseOf(id);
    const text = failure?.['#text'] ?? skipped?.['#text'] ?? '';
    for (const failure of failures) {
      const { code, curl, exchanges } = failure;
      assert.ok(text.includes(escapeForTerminal(`${code}: ${sentenceOf(failure)}`)), `${id} ${code}`);
      assert.ok(text.includes(escapeForTerminal(curl)), `${id} ${curl}`);
      const cited = sampleReport.exchanges.filter(({ number }) => exchanges.includes(number));
      assert.ok(
        text.includes(cited.flatMap((one) => exchangeLines(one, pointerInto(one, failure))).join('\n')),
        `${id} ${code} exchanges`,
      );
    }
  }
});

test('a failure fails its case, with its code and message and all that is known of it', () => {
  const { failure, skipped, error } = caseOf('list-answer');
  assert.is(failure?.['@_type'], 'wrong-status');
  assert.is(failure?.['@_message'], 'expected status 200, received 500');
  assert.equal(failure?.['#text'].split('\n').slice(-3), [
    'curl -i \'http://127.0.0.1:8080/v1/pets?limit=101\' -H "Authorization: Bearer $PETSTORE_API_KEY"',
    'FLAKY: not reproduced on recheck, or it depends on the requests before it.',
    'Shortest sequence that reproduces it: #3, #4, #5, #6, #9 (the budget ended the search for a shorter one).',
  ]);
  assert.equal([skipped, error], [undefined, undefined]);
  assert.ok(caseOf('pet-name-kept').failure?.['#text'].includes('And 4 more failures of the same kinds.'));
});

test('an error of the kit is an error, with its reason', () => {
  const { error } = caseOf('create-answer');
  assert.is(error?.['@_type'], 'error');
  assert.ok(error?.['@_message'].startsWith('a check threw: '));
  assert.is(error?.['#text'], `a check threw: ${shown}`);
});

test('a requirement that neither passes nor fails the build is skipped, with its reason', () => {
  assert.equal(
    caseOf('list-limit-refused').skipped?.['@_message'],
    'warn: expected an Error, received 500 without one',
  );
  assert.equal(caseOf('list-limit').skipped?.['@_message'], 'waived: expected at most 1 animal, received 601');
  assert.ok(caseOf('list-limit').skipped?.['#text'].endsWith(`until 2027-01-31): known ${shown}`));
  assert.is(caseOf('list-complete').skipped?.['#text'], `the service answered ${shown}`);
  assert.equal(caseOf('rate-exceeded').skipped, {
    '@_message': 'skipped: set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted',
    '#text':
      'set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted\nUnused waiver (edge team, until 2027-01-31): the gateway is new',
  });
  assert.match(caseOf('service-staging-paths').skipped!['@_message'], /^not applicable: A run judges one base/);
});

test('a pass has no result, and names an unused waiver', () => {
  assert.equal(caseOf('service-json'), {
    '@_classname': '§1',
    '@_name': 'service-json: Every payload is well-formed JSON, sent as application/json.',
    '@_time': '0.000',
  });
  assert.is(caseOf('pet-id-unique')['system-out'], 'Stale waiver (pets team, until 2027-01-31): mended in 2.0');
});

test('interactions are a suite of their own, in which pending and not verifiable ones are skipped', () => {
  const [pass, fail, pending, unverifiable] = suitesOf(sampleReport).get('interactions')?.testcase ?? [];
  assert.is(pass?.['@_name'], 'adoption-site: a listing of sold animals');
  assert.equal([pass?.failure, pass?.skipped], [undefined, undefined]);
  assert.is(fail?.failure?.['@_type'], 'interaction');
  const own = sampleReport.exchanges.filter(({ number }) => number === 6).flatMap((one) => exchangeLines(one));
  assert.is(fail?.failure?.['#text'], [shown, 'expected status 200, received 500', ...own].join('\n'));
  assert.is(pending?.skipped?.['@_message'], 'pending: expected a status, received none');
  assert.match(pending!.skipped!['#text'], /^expected a status, received none\n#5 POST \/pets/);
  assert.is(unverifiable?.skipped?.['#text'], 'it takes a key that may be exhausted');
});

test('suites count their own cases, and the document all of them', () => {
  const suites = suitesOf(sampleReport);
  const counts = (name: string): readonly (string | undefined)[] =>
    ['tests', 'failures', 'errors', 'skipped'].map((count) => suites.get(name)?.[`@_${count}`]);
  assert.equal(counts('run'), ['1', '0', '0', '0']);
  assert.equal(counts('interactions'), ['4', '1', '0', '2']);
  assert.equal(counts('requirements'), ['12', '3', '1', '6']);
  assert.match(
    reportJunit(sampleReport),
    /<testsuites name="Pet Store Service Interface 1\.0\.0" tests="17" failures="4" errors="1" time="12\.345">/,
  );
});

test('the run has its settings and the counts of the requirements as properties', () => {
  const properties = suitesOf(sampleReport).get('run')?.properties?.property ?? [];
  assert.equal(Object.fromEntries(properties.map((one) => [one['@_name'], one['@_value']])), {
    interface: 'Pet Store Service Interface 1.0.0',
    target: 'http://127.0.0.1:8080/v1',
    verdict: 'does-not-conform',
    headline:
      'Does not conform (3 of 12 requirements fail, 1 more waived; 12 of 53 requirements, --only; pact verify: 1 of 4 interactions hold)',
    seed: '42',
    requests: '87',
    creations: '12',
    unanswered: '1',
    'kit.version': '0.1.0',
    'kit.commit': '0123456789abcdef0123456789abcdef01234567',
    node: 'v24.21.0',
    'settings.plan': 'free',
    'settings.rateLimitPlan': 'enterprise',
    'settings.only': sampleReport.requirements.map(({ id }) => id).join(', '),
    'settings.maxRequests': '120',
    'settings.maxCreates': '20',
    'settings.isReadOnly': 'false',
    'settings.categoryIds': '1, 9223372036854775807',
    'settings.concurrency': '2',
    'settings.settleMs': '2000',
    'settings.maxWaitMs': '75000',
    'settings.timeoutMs': '10000',
    'settings.isDisposable': 'true',
    'settings.nameTemplate': `Pet {n} ${shown}`,
    'settings.today': '2026-11-21T10:00:00.000Z',
    'settings.requiresAll': 'true',
    'settings.waivers': 'pet-id-unique, list-limit, list-limit-refused, rate-exceeded',
    'settings.gatewayHeaders': `x-tenant, ${shown}`,
    'settings.hasRateLimitKey': 'false',
    'requirements.total': '12',
    'requirements.judged': '7',
    'requirements.waived': '1',
    'requirements.pass': '2',
    'requirements.fail': '4',
    'requirements.warn': '1',
    'requirements.inconclusive': '1',
    'requirements.skipped': '2',
    'requirements.not-applicable': '1',
    'requirements.error': '1',
  });
});

test('a case takes as long as the exchanges that it cites, the run as long as it took', () => {
  const timeOf = (one: TestCase | undefined): string | undefined => one?.['@_time'];
  assert.is(timeOf(caseOf('list-limit')), '0.001');
  assert.is(timeOf(caseOf('pet-name-kept')), '0.016');
  const suites = suitesOf(sampleReport);
  assert.is(timeOf(suites.get('run')?.testcase[0]), '12.345');
  assert.is(suites.get('requirements')?.['@_time'], '0.024');
});

test('it is valid JUnit XML by a schema, which refuses an invalid one', async () => {
  const schema = readFileSync(new URL('junit.xsd', import.meta.url), 'utf8');
  const validate = async (contents: string) =>
    validateXML({ xml: [{ fileName: 'report.xml', contents }], schema: [schema] });
  for (const report of [sampleReport, { ...sampleReport, exitCode: 4, requirements: [] } as const]) {
    const { valid, errors } = await validate(reportJunit(report));
    assert.ok(valid, JSON.stringify(errors));
  }
  assert.not.ok((await validate(reportJunit(sampleReport).replaceAll('<skipped', '<ignored'))).valid);
});

test('a run that could not judge is no green build', () => {
  const requirements = sampleReport.requirements.filter(({ verdict }) => verdict === 'pass');
  const { interactions: _interactions, ...rest } = sampleReport;
  const report: Report = {
    ...rest,
    requirements,
    counts: countVerdicts(requirements),
    verdict: 'inconclusive',
    exitCode: 3,
    reason: 'The target <x> is gone.',
  };
  const suites = suitesOf(report);
  const [run] = suites.get('run')?.testcase ?? [];
  assert.is(run?.error?.['@_message'], 'The target <x> is gone.');
  assert.match(run!.error!['#text'], /^The target <x> is gone\.\n2 requirements: 2 passed\./);
  assert.is(suites.get('run')?.['@_errors'], '1');
  assert.not.ok(suites.has('interactions'));
  const [good] = suitesOf({ ...report, verdict: 'conforms', exitCode: 0 }).get('run')?.testcase ?? [];
  assert.is(good?.error, undefined);
});

test.run();
