/** The view of a report claims no more than was judged, and leads to the next step. */

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../../spec/requirements.ts';
import { waiverRemark } from '../../reporters/cause-view.ts';
import { reporters } from '../../reporters/index.ts';
import { inPlainText, reportTerminal } from '../../reporters/terminal.ts';
import { inOneLine, meaningsOf, subjectOf, timeInWords, viewOf } from '../../reporters/view.ts';
import { countVerdicts } from '../../verdict/create-report.ts';
import { reason } from '../../verdict/reasons.ts';
import type { Report, ReportedRequirement } from '../../verdict/report.ts';
import { goldenReports } from './golden.ts';
import { sampleReport } from './sample-report.ts';

const { interactions: _interactions, reason: _reason, settings, ...rest } = sampleReport;
const { only: _only, plan: _plan, ...usual } = settings;

function requirement(id: string, verdict: ReportedRequirement['verdict'], isWaived = false): ReportedRequirement {
  const waiver = { reason: 'r', owner: 'o', expires: '2027-01-31', state: 'waived' } as const;
  const stated = sampleReport.requirements[0]!;
  const base = { ...stated, id: id as ReportedRequirement['id'], verdict };
  return isWaived ? { ...base, waiver } : base;
}

/** A run of 300 requests with these requirements. */
function reportOf(requirements: readonly ReportedRequirement[], other: Partial<Report> = {}): Report {
  const fails = requirements.some(({ verdict, waiver: of }) => verdict === 'fail' && of === undefined);
  const { verdict = fails ? 'does-not-conform' : 'conforms' } = other;
  return {
    ...rest,
    settings: { ...usual, maxRequests: 300 },
    verdict,
    exitCode: verdict === 'conforms' ? 0 : verdict === 'inconclusive' ? 3 : 1,
    requirements,
    counts: countVerdicts(requirements),
    ...other,
  };
}

const [passed, failed] = [requirement('list-answer', 'pass'), requirement('pet-id', 'fail')];
const waived = requirement('pet-id', 'fail', true);
const skipped = { ...requirement('rate-exceeded', 'skipped'), reason: 'set a key' };

const short = { requests: 60, settings: { ...usual, maxRequests: 60 } };
const interrupted = { reason: reason('interrupted', {}) };
const late = { reason: reason('deadline', { seconds: 5 }) };
const recorded = { settings: { ...usual, maxRequests: 0 } };
const only = { ...usual, only: ['pet-id'] as const };
const client = { command: ['npm', 'test'], worksWith: 2, ranWith: 3, reliesOn: 1, services: [] };
const soundClient = { ...client, worksWith: 3, reliesOn: 0 };
const brokenByClient = [requirement('any-list-order', 'fail'), requirement('client-waits', 'fail')];

const unjudged = { verdict: 'inconclusive' } as const;
const again = { ...only, isLastFailed: true } as const;
const interactions = sampleReport.interactions!;

const all = requirements.length;
/** Requirements and other facts of a run, and its headline. */
const headlines: readonly (readonly [...Required<Parameters<typeof reportOf>>, headline: string])[] = [
  [[passed, skipped], {}, 'Conforms (1 of 2 requirements pass)'],
  [[passed, failed], {}, 'Does not conform (1 of 2 requirements fail)'],
  [[passed, skipped], unjudged, 'Could not judge (1 of 2 requirements judged)'],
  [[skipped], unjudged, 'Could not judge (nothing was judged)'],
  // A smaller budget than usual shows less; recorded traffic has none.
  [[passed, skipped], short, 'Conforms as far as 60 requests show (1 of 2)'],
  [[failed], short, 'Does not conform (1 of 1 requirements fail)'],
  [[passed], recorded, 'Conforms (1 of 1 requirements pass)'],
  [[passed, waived], {}, 'Conforms with 1 waived failure (1 of 2)'],
  [[failed, waived], {}, 'Does not conform (1 of 2 requirements fail, 1 more waived)'],
  // What limits a run stands in the line of its verdict.
  [[passed], { settings: only }, `Conforms (1 of 1 requirements pass; 1 of ${all} requirements, --only)`],
  [[passed], { settings: again }, `Conforms (1 of 1 requirements pass; 1 of ${all} requirements, --last-failed)`],
  [[passed], { interactions }, 'Conforms (1 of 1 requirements pass; pact verify: 1 of 4 interactions hold)'],
  [[failed], interrupted, 'Does not conform (1 of 1 requirements fail; interrupted)'],
  [[failed], late, 'Does not conform (1 of 1 requirements fail; ended by the deadline)'],
  [brokenByClient, { client }, 'Works with 2 of 3 legal services; relies on 1 answer; 1 requirement broken'],
  [[passed], { client: soundClient }, 'Works with 3 of 3 legal services'],
  [[passed], { client: { ...soundClient, ranWith: 0 } }, 'Recorded requests break no requirement'],
  [[], { ...unjudged, client }, 'Could not judge (nothing was judged)'],
];

test('each reporter makes of the sample what its golden file holds', () => {
  for (const [file, text] of goldenReports())
    assert.is(readFileSync(`${import.meta.dirname}/../../../${file}`, 'utf8'), text);
});

test('the headline claims no more than was judged', () => {
  for (const [requirements, other, headline] of headlines)
    assert.is(viewOf(reportOf(requirements, other)).headline.text, headline);
});

test('waived failures make the verdict amber, and it names the embedded server, in every reporter with a headline', () => {
  const report = reportOf([passed, waived], { target: { ...rest.target, isEmbedded: true } });
  assert.is(viewOf(report).headline.tone, 'waived');
  assert.is(viewOf(reportOf([passed, requirement('pet-id', 'warn', true)])).headline.tone, 'pass');
  for (const name of ['terminal', 'html', 'junit', 'markdown', 'github'] as const) {
    assert.match(reporters[name](report), /conforms with 1 waived failure/i, name);
    assert.match(reporters[name](report), /the embedded reference server/, name);
  }
});

test('the tally says what was not judged and why', () => {
  const requirements = [
    passed,
    requirement('service-staging-paths', 'not-applicable'),
    requirement('get-answer', 'not-applicable'),
    requirement('list-complete', 'inconclusive'),
    skipped,
    { ...skipped, id: 'rate-retry-after' as const },
    requirement('create-answer', 'error'),
    waived,
  ];
  assert.equal(viewOf(reportOf(requirements, unjudged)).tally, [
    '8 requirements: 1 passed, 1 failed (1 waived), 2 not applicable, 1 inconclusive, 2 skipped (set a key), 1 error of the kit.',
  ]);
  const more = [{ ...skipped, reason: 'name the plan' }, skipped, skipped];
  assert.match(viewOf(reportOf(more)).tally[0]!, '3 skipped (2: set a key; 1: name the plan).');
});

test('a cause says what was sent and came back, and where it shows, in every format', () => {
  const [first] = viewOf(sampleReport).causes;
  assert.match(first!.story, /^GET \/pets\?.* → 200: expected name "Rex abc123-1", received "rex abc123-1"$/);
  for (const name of ['terminal', 'html', 'markdown', 'github', 'junit'] as const) {
    const text = reporters[name](sampleReport).replace(/\s+/g, ' ');
    assert.match(text, /It shows with limit 0 \(3 of 4\), not with limit no integer\./, name);
    assert.match(text, /It shows in 2 of 41 answers, without a pattern that the kit sees\./, name);
  }
});

test('a requirement of a cause has its own request and command, where those of the cause do not show it', () => {
  const [own, other] = viewOf(sampleReport).causes[2]!.broken;
  assert.equal([own.stories, own.command], [[], undefined]);
  assert.match(
    other!.stories[0]!,
    /^served-without-key: .* with the key without its last character → 200: expected status 401$/,
  );
  assert.match(other!.command!, /^curl /);
});

test('a run that fails ends with the command that judges the failures again', () => {
  const last = (report: Report, jsonFile?: string): string => {
    const options = ['--start', 'npm run x', '--plan', 'free'];
    const view = jsonFile === undefined ? viewOf(report) : viewOf(report, { reportFile: jsonFile, options });
    const text = reportTerminal(view, inPlainText);
    return /.*\n.*\n$/.exec(text)![0].trimEnd();
  };
  const { failures } = sampleReport.requirements.find(({ id }) => id === 'auth-invalid-key')!;
  const causes = [{ requirements: [{ id: failed.id, failures: [0] }] }];
  const broken = reportOf([{ ...failed, failures }], { causes });
  const again =
    "   petstore-conformance run http://127.0.0.1:8080/v1 --start 'npm run x' --plan free --last-failed out/it.json";
  assert.is(last(broken, 'out/it.json'), `Next, judge what failed again:\n${again}`);
  const withoutFile = /^Next, after a run with --reporter json=report\.json:\n.*--last-failed report\.json$/;
  assert.match(last(broken), withoutFile);
  const embedded = { ...broken, target: { ...broken.target, isEmbedded: true as const } };
  assert.match(last(embedded), /\n {3}petstore-conformance run --embedded --last-failed report\.json$/);
  assert.not.match(last(reportOf([passed])), 'Next');
  assert.not.match(last({ ...broken, settings: { ...usual, maxRequests: 0 } }), 'Next');
  // An expired waiver alone leaves nothing to judge again.
  assert.not.match(last(reportOf([passed], { verdict: 'does-not-conform' })), 'Next');
});

test('requirements that are inconclusive for one reason stand in one line, and none for the end of the run', () => {
  const open = (id: string, why = 'none was listed') => ({ ...requirement(id, 'inconclusive'), reason: why });
  const ended = open('list-limit', 'The run was interrupted.');
  const text = reporters.terminal(reportOf([failed, open('pet-id'), open('pet-name'), ended], interrupted));
  assert.match(text, /\nInconclusive\n {2}pet-id, pet-name: none was listed\n\n/);
});

test('what is left behind is said, and all of it named in the whole report', () => {
  const created = [{ id: '-7', name: 'a' }, { name: 'b"c' }];
  assert.match(reporters.html({ ...sampleReport, created }), ': -7, &quot;b\\&quot;c&quot; without an id');
  assert.not.match(reporters.terminal({ ...sampleReport, created: [] }), 'behind');
});

test('a client under a service says what it printed last, and where its output is', () => {
  const run = { id: 'page-cap=fewer', isPassed: false, ending: 'exit code 1', output: 'a/b/7', printed: ['no page'] };
  const services = [{ ...run, ending: 'a time' }, run] as const;
  const text = reporters.terminal(reportOf([failed], { client: { ...client, services: services as never } }));
  assert.match(text, /\nWhat the client printed last\npage-cap=fewer: exit code 1\n +no page\n/);
  assert.match(text, '\nThe output of the client is in a/b.\n');
  const shared = { ...usual, isDisposable: false };
  assert.match(reporters.terminal(reportOf([failed], { settings: shared })), 'Not tried');
  assert.not.match(reporters.terminal(reportOf([failed], { settings: { ...shared, maxRequests: 0 } })), 'Not tried');
});

test('where nothing was judged the terminal shows the reason alone, and JUnit an error', () => {
  const report = reportOf([skipped], { ...unjudged, reason: reason('broker-failed', { problem: '<x> is gone' }) });
  const what = '(nothing was judged): http://127.0.0.1:8080/v1';
  assert.is(reporters.terminal(report), `COULD NOT JUDGE ${what}\nThe broker <x> is gone.\n`);
  assert.is(inOneLine(viewOf(report)), `Could not judge ${what}: The broker <x> is gone.`);
  assert.is(inOneLine(viewOf(reportOf([passed]))), 'Conforms (1 of 1 requirements pass): http://127.0.0.1:8080/v1');
  assert.match(reporters.junit(report), '<error type="inconclusive" message="The broker &lt;x&gt; is gone.">');
  assert.not.match(reporters.junit(reportOf([passed])), '<error');
});

test('a client is told by its command, in its report and in the command that runs it again', () => {
  const words = { ...client, command: ['npm', 'run', "it's"] };
  assert.is(subjectOf({ ...rest, client: words }), "client: npm run it's");
  const view = viewOf(reportOf([failed], { client: words }));
  assert.is(view.next, "petstore-conformance client -- 'npm' 'run' 'it'\\''s'");
  assert.is(subjectOf(rest), 'http://127.0.0.1:8080/v1');
});

test('a time is shown to the minute, and what is no time of a report as it is', () => {
  assert.is(timeInWords('2026-11-21T10:04:59.999Z'), '2026-11-21 10:04 UTC');
  for (const text of ['x2026-11-21T10:04:59Z', '2026-11-21T10:04:59Zx']) assert.is(timeInWords(text), text);
});

test('a waiver that is exceeded says which ways are new', () => {
  const { waiver } = waived;
  const remark = 'Fails in a way that the waiver does not cover (o, until 2027-01-31): r';
  const exceeded = {
    ...waived,
    ways: ['a', 'b', 'c'],
    waiver: { ...waiver!, state: 'exceeded', covers: ['b'] },
  } as const;
  assert.equal(waiverRemark(exceeded), ['New: a; c.', remark]);
  assert.equal(waiverRemark({ ...exceeded, waiver: { ...waiver!, covers: ['b'] } }), [
    'Waived (o, until 2027-01-31): r',
  ]);
  assert.equal(waiverRemark(failed), []);
});

const [creation, page] = sampleReport.exchanges;
const failure = { code: 'id-missing', expected: 'an id', received: 'none', exchanges: [3], curl: 'curl 3' };

/** The first cause of a run in which requirements fail so, each by its first failure. */
function causeOf(requirements: readonly ReportedRequirement[], other: Partial<Report> = {}) {
  const ids = requirements.map(({ id, failures }) => ({ id, failures: failures.map((_one, at) => at) }));
  return viewOf(reportOf(requirements, { causes: [{ requirements: ids }], ...other })).causes[0]!;
}

test('a broken requirement has its reason, its recheck, the shortest sequence, and which requests are smaller ones', () => {
  const broken = { ...failed, recheck: 'fails-again', failures: [{ ...failure, sequence: [3, 4] }] } as const;
  const remarksOf = (part: Partial<ReportedRequirement>, exchanges = sampleReport.exchanges) =>
    causeOf([{ ...broken, ...part }], { exchanges }).broken[0].remarks;
  const usualRemarks = ['Reproduced on recheck.', 'Shortest sequence that reproduces it: #3, #4.'];
  assert.equal(remarksOf({}), usualRemarks);
  assert.equal(remarksOf({ reason: 'It was late' }), ['It was late.', ...usualRemarks]);
  assert.equal(remarksOf({ recheck: 'not-asked-again', failures: [{ ...failure, sequence: [3] }] }), []);
  const smaller = [3, 4, 9].map((number) => ({
    ...creation!,
    number,
    check: number === 3 ? 'list-filter' : 're-check',
  }));
  assert.equal(remarksOf({}, smaller), [
    ...usualRemarks,
    'Sent on recheck, where smaller requests take the place of the first ones: #4.',
  ]);
});

test('what is said of a requirement as a whole stands with its first failure alone', () => {
  const failures = [failure, { ...failure, code: 'id-wrong' }];
  const broken = { ...failed, recheck: 'fails-again', failures } as const;
  const causes = [1, 0].map((at) => ({ requirements: [{ id: failed.id, failures: [at] }] }));
  const remarks = viewOf(reportOf([broken], { causes })).causes.map((one) => one.broken[0].remarks);
  assert.equal(remarks, [[], ['Reproduced on recheck.']]);
});

test('of each kind of failure one is told, unless the cause tells it', () => {
  const [other, listed] = [requirement('pet-name', 'fail'), { ...failure, exchanges: [4], curl: 'curl 4' }];
  const storiesOf = (...failures: ReportedRequirement['failures']) => {
    const { stories, command } = causeOf([
      { ...failed, failures: [failure] },
      { ...other, failures },
    ]).broken[1]!;
    return [stories, command];
  };
  assert.equal(storiesOf(failure), [[], undefined]);
  assert.equal(storiesOf({ ...failure, code: 'name-missing' }), [
    ['name-missing: expected an id, received none'],
    undefined,
  ]);
  assert.equal(storiesOf({ ...failure, received: 'null' }), [['id-missing: expected an id, received null'], undefined]);
  const [stories, command] = storiesOf({ ...listed, received: 'null' }, { ...listed, received: '7' });
  assert.is(command, 'curl 4');
  assert.is(stories?.length, 1);
  assert.match(String(stories), /^id-missing: GET \/pets\?limit=100 → 200: expected an id, received null$/);
});

test('the evidence of a cause is its last three exchanges, and the pointer leads into the very last', () => {
  const failures = [{ ...failure, pointer: '/0/id', sequence: [3, 4, 5], exchanges: [4, 6] }];
  const { evidence } = causeOf([{ ...failed, failures }]);
  assert.equal(
    evidence.exchanges.map(({ exchange, pointer }) => [exchange.number, pointer]),
    [
      [4, undefined],
      [5, undefined],
      [6, '/0/id'],
    ],
  );
  assert.equal(evidence.earlier, [3]);
  assert.match(evidence.again!, / --last-failed report\.json --only pet-id$/);
  assert.is(page?.number, 4);
});

test('where a failure shows ends with a point, unless its list of values is cut', () => {
  const where = (...others: readonly string[]) => {
    const traits = [{ dimension: 'limit', values: ['0'], others }];
    const causes = [{ requirements: [{ id: failed.id, failures: [0] }], where: { failing: 1, holding: 2, traits } }];
    return viewOf(reportOf([{ ...failed, failures: [failure] }], { causes })).causes[0]!.where;
  };
  assert.is(where('x….y'), 'It shows with limit 0 (1 of 1), not with limit x….y.');
  assert.is(where('x'.repeat(79), 'yy'), `It shows with limit 0 (1 of 1), not with limit ${'x'.repeat(79)}, …`);
});

test('the meanings of an answer are those of its gap, and none for a gap of a later kit', () => {
  assert.equal(meaningsOf('gap-of-a-later-kit'), {});
  assert.ok('oldest-first' in meaningsOf('list-order'));
  const observed = ['oldest-first', 'answer-of-a-later-kit', 'constructor'];
  const [shown] = viewOf(reportOf([passed], { gaps: [{ ...rest.gaps[0]!, id: 'list-order', observed }] })).gaps;
  assert.is(shown?.answer, `${meaningsOf('list-order')['oldest-first']} Or: answer-of-a-later-kit Or: constructor`);
});

test('a run is unjudged only where it has no verdict, judged nothing, and nothing of the kit broke', () => {
  const isUnjudged = (requirements: readonly ReportedRequirement[], other: Partial<Report>): boolean =>
    viewOf(reportOf(requirements, other)).isUnjudged;
  assert.ok(isUnjudged([skipped], unjudged));
  assert.not.ok(isUnjudged([skipped], {}));
  assert.not.ok(isUnjudged([passed], unjudged));
  assert.not.ok(isUnjudged([requirement('pet-id', 'error')], unjudged));
});

test('the reason of a run stands in its line where it does not conform', () => {
  const line = (other: Partial<Report>): string => inOneLine(viewOf(reportOf([passed], other)));
  assert.is(line(interrupted), 'Conforms (1 of 1 requirements pass; interrupted): http://127.0.0.1:8080/v1');
  assert.is(
    line({ ...interrupted, ...unjudged }),
    'Could not judge (1 of 1 requirements judged; interrupted): http://127.0.0.1:8080/v1: The run was interrupted.',
  );
  assert.is(line(unjudged), 'Could not judge (1 of 1 requirements judged): http://127.0.0.1:8080/v1');
});

test('GitHub is given ten annotations at most, errors first', () => {
  const interactions = [2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1].map((at) => sampleReport.interactions![at]!);
  const text = reporters.github({ ...sampleReport, interactions });
  const lines = text.trimEnd().split('\n');
  assert.is(lines.length, 10);
  assert.ok(lines.every((one) => one.startsWith('::error ')));
  assert.match(lines.at(-1)!, /%0A8 more annotations are in the other reports\.$/);
  assert.match(reporters.github(reportOf([passed])), /^::notice title=petstore-conformance::Conforms .*\n$/);
});

test.run();
