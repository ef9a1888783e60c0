/** The HTML page: well-formed, loads and runs nothing, and tells every verdict and failure in full. */

import { createHash } from 'node:crypto';
import { XMLValidator } from 'fast-xml-parser';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { escapeLines } from '../../reporters/escape.ts';
import { reportHtml } from '../../reporters/html.ts';
import { countVerdicts } from '../../verdict/counts.ts';
import type { Report } from '../../verdict/report.ts';
import { all, descendants, elementOf, facts, type Node, parse, texts, withClass } from './parsed-page.ts';
import { hostile, sampleReport } from './sample-report.ts';

const html = reportHtml(sampleReport);
const page = parse(html);
const shown = escapeLines(hostile);

function byId(id: string, within = page): Node {
  return elementOf(within, id);
}

test('the page is well-formed, and has the elements of its templates only', () => {
  assert.is(XMLValidator.validate(html.replace('<!doctype html>', '')), true);
  const tags = new Set([...html.matchAll(/<([a-z0-9]+)/gi)].map(([, tag]) => tag));
  assert.equal(
    [...tags].sort().join(' '),
    'a article body button code dd details div dl dt fieldset figcaption figure h1 h2 h3 h4 head header html i input label legend li line main mark meta nav output p path pre rect script section small span strong style summary svg table tbody td text th title tr ul',
  );
});

test('the page loads nothing, and runs one script, which holds nothing of the report', () => {
  const policy = all(page, 'meta').find(({ attributes }) => 'http-equiv' in attributes)?.attributes['content'];
  const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const inside = (tag: string): string => html.split(`<${tag}>`)[1]!.split(`</${tag}>`)[0]!;
  assert.is(
    policy,
    `default-src 'none'; script-src ${hash(inside('script'))}; style-src ${hash(inside('style'))}; base-uri 'none'; form-action 'none'`,
  );
  const other = reportHtml({ ...sampleReport, requirements: [], exchanges: [] });
  assert.ok(other.includes(`<script>${inside('script')}</script>`));
  for (const link of all(page, 'a')) assert.match(link.attributes['href']!, /^#[a-z0-9.-]+$/);
  assert.not.match(html, /<[^>]*\s(on\w+|src|style)=/);
});

test('every link leads to a place on the page, and no two places share a name', () => {
  const ids = descendants(page).flatMap(({ attributes }) => attributes['id'] ?? []);
  assert.equal(ids, [...new Set(ids)]);
  for (const { attributes } of all(page, 'a'))
    assert.ok(ids.includes(attributes['href']!.slice(1)), attributes['href']);
});

test('the verdict, its coverage and its reason come first', () => {
  const coverage =
    ' (3 of 12 requirements fail, 1 more waived; 12 of 53 requirements, --only; pact verify: 1 of 4 interactions hold)';
  assert.is(all(page, 'title')[0]?.text, `Does not conform${coverage}: http://127.0.0.1:8080/v1`);
  assert.is(all(page, 'h1')[0]?.text, `✗Does not conform ${coverage.slice(2, -1)}`);
  assert.equal(texts(withClass(page, 'reason')), [`The waiver of list-limit-refused expired; ${shown}`]);
  const mark = (verdict: Report['verdict']): string =>
    all(parse(reportHtml({ ...sampleReport, verdict })), 'h1')[0]!.text;
  assert.match(mark('conforms'), /^~Conforms with 1 waived failure 2 of 12 pass; /);
  assert.match(mark('inconclusive'), /^\?Could not judge 7 of 12 requirements judged; /);
  assert.equal(texts(withClass(page, 'subject')), ['http://127.0.0.1:8080/v1']);
  assert.match(texts(withClass(page, 'tally'))[0] ?? '', /^12 requirements: 2 passed, .* 1 of 4 interactions hold, /);
});

test('the foot of the page has target, settings, date, kit and self-test', () => {
  const { Settings: settings, ...others } = facts(byId('about'));
  assert.equal(others, {
    Target: 'http://127.0.0.1:8080/v1',
    Interface: 'Pet Store Service Interface 1.0.0',
    Date: '2026-11-21 10:00 UTC',
    Requests: '87 requests, 12 creations, 12.3 s, seed 42. 1 got no answer. 2 waits took 11.4 s of it.',
    Kit: 'petstore-conformance 0.1.0 commit 0123456789abcdef0123456789abcdef01234567, Node v24.21.0',
    'Self-test':
      'The kit finds 780 of 780 faults put into a server (of the 600 ordinary ones 580 within 60 requests, 600 within 300 requests), and fails 0 of 140 legal servers.',
  });
  assert.ok(
    settings?.startsWith(
      'at most 120 requests and 20 creations; plan free; no rate-limit key; rate-limit plan enterprise; a disposable target; all requirements required; only service-json, ',
    ),
    settings,
  );
  for (const part of [
    '; categories 1, 9223372036854775807; waivers of pet-id-unique, list-limit, ',
    `; gateway headers x-tenant, ${shown}; names like Pet {n} ${shown}; concurrency 2; `,
    '; settle time 2.0 s; waits of at most 75.0 s; timeout 10.0 s; judged as on 2026-11-21',
  ]) {
    assert.ok(settings?.includes(part), part);
  }
});

test('settings that were not given are left out', () => {
  const { plan: _plan, only: _only, nameTemplate: _template, timeoutMs: _timeout, ...rest } = sampleReport.settings;
  const settings = { ...rest, isReadOnly: true, isDisposable: false, requiresAll: false, hasRateLimitKey: true };
  const plain = {
    ...settings,
    rateLimitPlan: 'free' as const,
    categoryIds: [],
    petIds: [],
    waivers: [],
    gatewayHeaders: [],
  };
  const other = parse(reportHtml({ ...sampleReport, settings: plain, waits: [], unanswered: 0 }));
  const shownFacts = facts(descendants(other).find(({ attributes }) => attributes['id'] === 'about')!);
  assert.is(
    shownFacts['Settings'],
    'at most 120 requests and 20 creations; no plan named; a rate-limit key; rate-limit plan free; read-only; concurrency 2; settle time 2.0 s; waits of at most 75.0 s; judged as on 2026-11-21',
  );
  assert.is(shownFacts['Requests'], '87 requests, 12 creations, 12.3 s, seed 42.');
  assert.match(shownFacts['Left out'] ?? '', /^Not tried, since the target is not disposable .--disposable.: names/);
});

test('the matrix has a mark for every requirement, by section, with sign, word and colour', () => {
  const rows = all(byId('matrix'), 'tr');
  assert.equal(
    rows.map((row) => all(row, 'th')[0]?.text),
    [
      '§1 What the service does',
      '§2 Resources and their fields',
      '§4.1 List all animals',
      '§4.2 Add an animal',
      '§5 Authentication',
      '§8 Limits',
      '§9 Versioning',
    ],
  );
  const marks = all(rows[2]!, 'a').map(({ text, attributes: { class: tone, href, title } }) => [
    text,
    tone,
    href,
    title,
  ]);
  assert.equal(marks, [
    ['✗', 'mark fail', '#requirement-list-answer', 'list-answer: fail'],
    ['~', 'mark waived', '#requirement-list-limit', 'list-limit: waived'],
    ['!', 'mark warn', '#requirement-list-limit-refused', 'list-limit-refused: warn'],
    ['?', 'mark inconclusive', '#requirement-list-complete', 'list-complete: inconclusive'],
  ]);
  assert.ok(rows[1]?.text.trim().endsWith('1 of 2 pass'));
});

test('there is something to tick for each verdict that the report has, and a rule that hides it', () => {
  const ticks = all(withClass(page, 'filter')[0]!, 'label').map(({ text }) => text.trim());
  assert.equal(ticks, [
    '✓ pass 2',
    '✗ fail 3',
    '! warn 1',
    '~ waived 1',
    '? inconclusive 1',
    '- skipped 2',
    '- not applicable 1',
    'E error of the kit 1',
    'Search',
  ]);
  for (const { attributes } of all(page, 'input').slice(0, -1)) {
    const verdict = attributes['id']!.replace('show-', '');
    assert.ok(html.includes(`body:has(#show-${verdict}:not(:checked)) .judged.${verdict} { display: none; }`));
  }
});

test('all requirements are listed with their verdict, reason and exchanges', () => {
  const listed = withClass(byId('requirements'), 'requirement');
  assert.equal(
    listed.map(({ attributes }) => attributes['id']?.replace('requirement-', '')),
    sampleReport.requirements.map(({ id }) => id),
  );
  const note = (id: string): string => all(byId(`requirement-${id}`), 'p')[0]!.text;
  assert.is(note('service-json'), '41 exchanges (#3, #4, #5, #9, #10, …)');
  assert.is(note('create-answer'), `a check threw: ${shown}`);
  assert.is(note('list-complete'), `the service answered ${shown}`);
  assert.is(note('service-staging-paths'), 'A run judges one base address; run the kit against each.');
  assert.match(note('rate-exceeded'), /may be exhausted; Unused waiver \(edge team, until 2027-01-31\): /);
  assert.is(note('pet-name-kept'), '5 exchanges: #4, #5, #6, #8');
  assert.match(byId('requirement-list-limit-refused').text, /^! warn\s+list-limit-refused \(advised\) A limit outside/);
  assert.is(all(byId('requirement-pet-name-kept'), 'a')[0]?.attributes['href'], '#cause-1');
});

test('a requirement that breaks in many exchanges links to the first twelve', () => {
  const exchanges = Array.from({ length: 30 }, (_, at) => at + 1);
  const broken = {
    ...sampleReport.requirements[3]!,
    failures: [{ code: 'odd', expected: 'a', received: 'b', exchanges, curl: 'curl' }],
  };
  const shortened = parse(reportHtml({ ...sampleReport, requirements: [broken] }));
  assert.match(byId('requirement-pet-name-kept', shortened).text, /5 exchanges: #1, .*, #12\s*$/);
});

test('interactions have the reason why they do not hold, and their exchanges', () => {
  const items = withClass(byId('interactions'), 'interaction');
  assert.equal(
    items.map((item) => withClass(item, 'mark')[0]?.text),
    ['✓ pass', '✗ fail', '~ pending', '? not verifiable'],
  );
  assert.equal(texts(all(items[1]!, 'p')).slice(0, 4), [
    `shop ${shown}: a listing ${shown} (given an animal exists and ${shown})`,
    shown,
    'expected status 200, received 500',
    'Its exchanges: #3, #6.',
  ]);
  assert.equal(
    items.map((item) => all(item, 'h4').length),
    [0, 1, 1, 0],
  );
  assert.match(byId('interactions').text, /1 of 4 interactions hold, 1 failed, 1 pending, 1 could not be verified\./);
  const { interactions: _none, ...without } = sampleReport;
  assert.not.match(reportHtml(without), /Interactions of pacts/);
});

test('gaps have their answers in words', () => {
  const answers = (gaps: Report['gaps']): readonly string[] =>
    withClass(parse(reportHtml({ ...sampleReport, gaps })), 'gap').map((gap) => all(gap, 'p')[1]!.text);
  const { gaps } = sampleReport;
  assert.equal(answers(gaps).slice(1), [
    'Every string with a visible character is accepted; others get 400 with an Error. Or: Names up to another length are accepted; others get 400 with an Error.',
    'The interface mentions store orders and shows no path for them.',
  ]);
  const [known] = gaps;
  assert.equal(
    answers([
      { ...known!, observed: ['accepted', 'refused-422'], example: 4 },
      { ...known!, observed: ['constructor'] },
      { ...known!, observed: [] },
    ]),
    [
      'Every int64 is accepted as a category. Or: Only known categories are accepted; others get 422 with an Error. (#4)',
      'constructor',
      'Not observed in this run.',
    ],
  );
});

test('the run is drawn, and a sentence says what the chart shows', () => {
  assert.equal(
    all(byId('chart'), 'svg').map(({ attributes }) => attributes['aria-label']),
    ['Remaining over time: the API key from 59 to 33; no valid key from 56 to 37; the key to exhaust from 54 to 36.'],
  );
  assert.match(byId('chart').text, /9\.4 s from 2\.6 s on: no requests are left until the reset/);
  const bare = sampleReport.timeline.map(({ remaining: _none, status: _unanswered, ...row }) => row);
  const charts = byId('chart', parse(reportHtml({ ...sampleReport, timeline: bare, waits: [] })));
  assert.is(all(charts, 'svg').length, 0);
  assert.match(charts.text, /No answer had X-RateLimit-Remaining\./);
  assert.not.match(charts.text, /Waits/);
  assert.not.match(reportHtml({ ...sampleReport, timeline: [] }), /id="chart"/);
});

test('leftovers are listed, and there are no empty sections', () => {
  assert.equal(texts(all(byId('leftovers'), 'li')), ['7 Rex abc123-1', `-9223372036854775808 ${shown}`]);
  const none = reportHtml({ ...sampleReport, created: [], requirements: [], exchanges: [] });
  assert.not.match(none, /Left behind|What is wrong|<h2>Exchanges/);
});

test('the page of a client has no gaps, and nothing of the single target that it has not', () => {
  const client = { command: ['npm', 'test'], services: [] } as never;
  const shown = reportHtml({ ...sampleReport, client, gaps: [] });
  assert.not.match(shown, /Remaining over time|<dt>Settings|id="gaps"|#gaps/);
});

test('a flag in the verdict stays in one line', () => {
  const settings = { ...sampleReport.settings, isLastFailed: true } as const;
  assert.match(
    reportHtml({ ...sampleReport, settings }),
    'requirements, <span class="flag">--last-failed</span>; pact',
  );
});

test('a run that judged nothing shows no tally and no matrix of question marks', () => {
  const reason = 'The target could not be reached.';
  const requirements = sampleReport.requirements.map(
    ({ id, section, level, text }) =>
      ({ id, section, level, text, verdict: 'inconclusive', evidence: 0, failures: [], reason }) as const,
  );
  const report = {
    ...sampleReport,
    verdict: 'inconclusive',
    reason,
    requirements,
    counts: countVerdicts(requirements),
  } as const;
  const shown = reportHtml(report);
  assert.not.match(shown, /class="tally|class="matrix"|id="charts"|id="gaps"/);
  assert.is(shown.split(reason).length - 1, 1);
  assert.match(shown, '<details><summary>None of the 12 requirements was judged.</summary>');
});

test('the navigation links to every section', () => {
  const [nav] = all(page, 'nav');
  assert.equal(
    all(nav!, 'a').map(({ text, attributes }) => `${attributes['href']} ${text}`),
    [
      '#failures Failures (3)',
      '#matrix Matrix',
      '#requirements Requirements (12)',
      '#interactions Interactions (4)',
      '#chart Rate limit',
      '#gaps Gaps',
      '#leftovers Left behind',
      '#exchanges Exchanges (8)',
      '#about About',
    ],
  );
});

test.run();
