/** CTRF, Code Quality of GitLab and the badge: what the tools that read them need, and nothing that a target says as code. */

import { validate } from 'ctrf';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reportBadge } from '../../reporters/badge.ts';
import { reportCtrf } from '../../reporters/ctrf.ts';
import { escapeForTerminal } from '../../reporters/escape.ts';
import { reportGitlab } from '../../reporters/gitlab.ts';
import { countVerdicts } from '../../verdict/counts.ts';
import type { Report } from '../../verdict/report.ts';
import { hostile, sampleReport } from './sample-report.ts';

const { reason: _reason, interactions: _interactions, ...rest } = sampleReport;

function reportOf(requirements: Report['requirements'], changes: Partial<Report> = {}): Report {
  return { ...rest, requirements, counts: countVerdicts(requirements), ...changes };
}

const passing = reportOf(
  sampleReport.requirements.filter(({ verdict }) => verdict === 'pass'),
  { verdict: 'conforms', exitCode: 0 },
);
const unjudged = reportOf([], { verdict: 'inconclusive', exitCode: 3, reason: 'The target is gone.' });

test('CTRF is valid by its own library', () => {
  for (const report of [sampleReport, passing, unjudged]) {
    const { valid, errors } = validate(JSON.parse(reportCtrf(report)));
    assert.ok(valid, JSON.stringify(errors));
  }
});

const { results } = JSON.parse(reportCtrf(sampleReport));

test('CTRF counts every case once, by its result', () => {
  assert.equal(results.summary, {
    tests: 17,
    passed: 4,
    failed: 5,
    skipped: 4,
    pending: 1,
    other: 3,
    flaky: 1,
    suites: 3,
    start: Date.parse('2026-11-21T10:00:00Z'),
    stop: Date.parse('2026-11-21T10:00:12.345Z'),
  });
  assert.equal(results.tool, { name: 'petstore-conformance', version: '0.1.0' });
  assert.is(results.extra['settings.maxRequests'], '120');
  assert.match(results.extra.headline, /^Does not conform \(3 of 12 requirements fail, /);
});

test('CTRF gives a requirement its section, its verdict, its message and its evidence', () => {
  const found = results.tests.find(({ name }: { name: string }) => name.startsWith('list-answer: '));
  const { trace, ...issue } = found;
  assert.equal(issue, {
    name: 'list-answer: A listing with a valid key and allowed parameters answers 200 with a JSON array of animals.',
    status: 'failed',
    duration: 2,
    suite: ['requirements', '§4.1'],
    message: 'expected status 200, received 500',
    rawStatus: 'fail',
    flaky: true,
  });
  assert.match(trace, /^wrong-status: expected status 200, received 500\n/);
  const statuses = results.tests.map((one: { status: string; rawStatus: string }) => `${one.rawStatus}: ${one.status}`);
  assert.equal([...new Set(statuses)].sort(), [
    'error of the kit: failed',
    'fail: failed',
    'inconclusive: other',
    'not applicable: skipped',
    'not verifiable: other',
    'pass: passed',
    'pending: pending',
    'skipped: skipped',
    'waived: skipped',
    'warn: other',
  ]);
  assert.equal(results.tests[0].suite, ['run']);
});

interface Issue {
  readonly description: string;
  readonly check_name: string;
  readonly fingerprint: string;
  readonly severity: string;
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

const issuesOf = (report: Report): readonly Issue[] => JSON.parse(reportGitlab(report));
const issues = issuesOf(sampleReport);

test('GitLab gets an issue for each requirement that a cause breaks, with the fields of Code Quality', () => {
  assert.equal(
    issues.map(({ check_name, severity, location }) => [check_name, severity, location.path.slice(0, 20)]),
    [
      ['interaction', 'critical', 'pacts/shop </testcas'],
      ['interaction', 'minor', 'pacts/shop'],
      ['interaction', 'minor', 'pacts/shop'],
      ['pet-name-kept', 'critical', 'interface/§2'],
      ['pet-name-kept', 'critical', 'interface/§2'],
      ['list-limit', 'info', 'interface/§4.1'],
      ['list-answer', 'critical', 'interface/§4.1'],
      ['list-limit-refused', 'minor', 'interface/§4.1'],
      ['auth-invalid-key', 'critical', 'interface/§5'],
      ['create-answer', 'blocker', 'interface/§4.2'],
    ],
  );
  for (const { description, fingerprint, location } of issues) {
    assert.match(fingerprint, /^[0-9a-f]{64}$/);
    assert.ok(description !== '' && description.length < 6 * 550);
    assert.is(location.lines.begin, 1);
  }
  assert.is(new Set(issues.map(({ fingerprint }) => fingerprint)).size, issues.length);
  assert.is(
    issues[8]?.description,
    'A request with a key that is not valid answers 401 with an Error. served-without-key: expected status 401, received 200',
  );
});

test('the same defect has the same fingerprint in another run, whatever its values and exchanges are', () => {
  const requirements = sampleReport.requirements.map((requirement) => ({
    ...requirement,
    failures: requirement.failures.map((failure) => ({
      ...failure,
      message: `${failure.message} 17`,
      exchanges: failure.exchanges.map((number) => number + 100),
    })),
  }));
  const again = issuesOf({ ...sampleReport, requirements, startedAt: '2027-01-01T00:00:00Z', seed: 7 });
  assert.equal(
    again.map(({ fingerprint }) => fingerprint),
    issues.map(({ fingerprint }) => fingerprint),
  );
});

test('a run without a verdict is an issue, and one that went well has none', () => {
  assert.equal(
    issuesOf(unjudged).map(({ severity, description }) => [severity, description]),
    [['blocker', 'The run came to no verdict. The target is gone.']],
  );
  assert.equal(issuesOf(passing), []);
});

/** The picture as a program reads it. */
function picture(report: Report): {
  readonly label: string;
  readonly words: readonly string[];
  readonly title: string;
} {
  const text = reportBadge(report);
  assert.is(XMLValidator.validate(text), true);
  const { svg } = new XMLParser({ ignoreAttributes: false }).parse(text);
  assert.is(svg['@_xmlns'], 'http://www.w3.org/2000/svg');
  const words = svg.g.text.map((one: { '#text': string }) => one['#text']);
  return { label: svg['@_aria-label'], words, title: svg.title };
}

test('the text that people read in these formats has no invisible characters', () => {
  const texts = [
    ...issues.flatMap(({ description, location }) => [description, location.path]),
    ...results.tests.flatMap((one: { name: string; message?: string }) => [one.name, one.message ?? '']),
  ];
  for (const text of texts) assert.not.match(text, /[\p{Cc}\p{Cf}\p{Cs}]/u);
  assert.ok(texts.some((text) => text.includes('\\u202e')));
});

test('the badge shows the interface, the verdict with its level, and the day', () => {
  assert.equal(picture(sampleReport).words, [
    'Pet Store 1.0.0',
    'does not conform: 3 of 12 fail, --only, pact verify, 2026-11-21',
  ]);
  assert.equal(picture(passing).words[1], 'conforms: required and advised, --only, 2026-11-21');
  const warning = reportOf(sampleReport.requirements.slice(0, 1), { verdict: 'conforms', exitCode: 0 });
  assert.equal(
    picture({ ...warning, counts: { ...warning.counts, warn: 1 } }).words[1],
    'conforms: required, --only, 2026-11-21',
  );
  assert.equal(picture(unjudged).words[1], 'could not judge, --only, 2026-11-21');
  assert.is(picture(passing).label, 'Pet Store 1.0.0: conforms: required and advised, --only, 2026-11-21');
  assert.match(
    picture(sampleReport).title,
    /^Does not conform \(3 of 12 requirements fail, .*: http:\/\/127\.0\.0\.1:8080\/v1$/,
  );
});

test('the badge has a colour for each verdict and loads nothing', () => {
  const colours = [sampleReport, passing, unjudged].map(
    (report) => /fill="(#\w+)"\/>\n<path/.exec(reportBadge(report))?.[1],
  );
  assert.is(new Set(colours).size, 3);
  assert.not.match(reportBadge({ ...sampleReport, target: { baseUrl: hostile } }), /<script|<img|href|url\(/);
  assert.ok(
    reportBadge({ ...sampleReport, target: { baseUrl: '\u001b[2J' } }).includes(escapeForTerminal('\u001b[2J')),
  );
});

test.run();
