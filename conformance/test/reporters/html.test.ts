/** The HTML page: well-formed, loads and runs nothing, and tells every verdict and failure in full. */

import { createHash } from 'node:crypto';
import { XMLValidator } from 'fast-xml-parser';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { escapeLines, shorten } from '../../reporters/escape.ts';
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
    'a article body button circle code dd details div dl dt fieldset figcaption figure h1 h2 h3 h4 head header html i input label legend li line main mark meta nav output p path pre rect script section small span strong style summary svg table tbody td text th thead title tr ul',
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
    '; categories 1, 9223372036854775807; animals -9223372036854775808; waivers of pet-id-unique, list-limit, ',
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
  assert.match(shownFacts['Left out'] ?? '', /^Not tried, since the target is not disposable: .*--hard-names/);
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
  assert.match(note('rate-exceeded'), /--rate-limit-key-env; Unused waiver \(edge team, until 2027-01-31\): /);
  assert.is(note('pet-name-kept'), '5 exchanges: #4, #5, #6, #8');
  assert.match(byId('requirement-list-limit-refused').text, /^! warn\s+list-limit-refused \(advised\) A limit outside/);
  assert.is(all(byId('requirement-pet-name-kept'), 'a')[0]?.attributes['href'], '#cause-1');
});

test('a requirement that breaks in many exchanges links to the first twelve', () => {
  const exchanges = Array.from({ length: 30 }, (_, at) => at + 1);
  const broken = {
    ...sampleReport.requirements[3]!,
    failures: [{ code: 'odd', message: 'it broke', exchanges, curl: 'curl' }],
  };
  const shortened = parse(reportHtml({ ...sampleReport, requirements: [broken] }));
  assert.match(byId('requirement-pet-name-kept', shortened).text, /5 exchanges: #1, .*, #12\s*$/);
});

test('each cause has its requirements, the expected and the received value', () => {
  const causes = all(page, 'article');
  assert.equal(
    causes.map((cause) => texts(all(cause, 'h3')).map((text) => text.replaceAll(/\s+/g, ' '))),
    [
      ['✗ fail §2 pet-name-kept name-changed'],
      ['✗ fail §2 pet-name-kept name-missing, name-null', '~ waived §4.1 list-limit page-too-long'],
      ['✗ fail §4.1 list-answer wrong-status', '! warn §4.1 list-limit-refused limit-accepted'],
      ['✗ fail §5 auth-invalid-key served-without-key'],
    ],
  );
  assert.equal(facts(causes[0]!), { Expected: 'name "Rex abc123-1"', Received: '"rex abc123-1"' });
  assert.is(
    all(causes[1]!, 'p')[1]?.text,
    'A page holds no more animals than limit asks for, and never more than 100.',
  );
  const odd = {
    ...sampleReport.requirements[3]!,
    failures: [{ code: 'odd', message: 'it broke', exchanges: [4], curl: 'curl' }],
  };
  const [cause] = all(parse(reportHtml({ ...sampleReport, requirements: [odd] })), 'article');
  assert.ok(texts(all(cause!, 'p')).includes('it broke'));
});

test('the evidence of a cause has its exchange, curl, replay, and the further failures of the cause', () => {
  const [cause] = all(page, 'article');
  const [evidence] = all(cause!, 'details');
  const [sent, answered, body, sameHead, reference, curl, replay, ...more] = texts(all(evidence!, 'pre'));
  assert.is(all(evidence!, 'p')[0]?.text, 'Shown by #3, #4.');
  assert.is(sent, 'GET /pets?limit=100');
  assert.is(
    answered,
    '200\ncontent-type: application/json\nx-ratelimit-limit: 60\nx-ratelimit-remaining: 41\nx-ratelimit-reset: 1795255260',
  );
  assert.is(body, '[\n  {\n    "id": 7,\n    "name": "rex abc123-1",\n    "categoryId": 1\n  }\n]');
  assert.equal(texts(all(evidence!, 'mark')), ['    "name": "rex abc123-1",']);
  assert.is(sameHead, answered);
  assert.is(reference, body?.replace('7', '1').replace('rex', 'Rex'));
  assert.match(evidence!.text, /The target answers:.*The reference server answers \(with its own choices for gaps\)/s);
  assert.is(curl, escapeLines(sampleReport.requirements[3]!.failures[0]!.curl));
  assert.is(replay, "petstore-conformance replay report.json pet-name-kept 'http://127.0.0.1:8080/v1'");
  assert.equal(more, []);
  assert.match(all(evidence!, 'li')[0]!.text, /^#5, #6 name-changed expected name of no harm, received /);
});

test('the last two of many exchanges of a failure are shown, and each requirement has its remarks', () => {
  const failure = { code: 'odd', message: 'it broke', exchanges: [3, 4, 5, 6], curl: 'curl' };
  const requirements = (['pet-name', 'pet-status'] as const).map((id) => ({
    ...sampleReport.requirements[3]!,
    id,
    failures: [failure],
  }));
  const [cause] = all(parse(reportHtml({ ...sampleReport, requirements })), 'article');
  const shownExchanges = all(cause!, 'h4').flatMap(({ text }) => /^#\d+/.exec(text)?.[0] ?? []);
  assert.equal(shownExchanges, ['#5', '#6']);
  assert.is(texts(all(cause!, 'p')).filter((text) => text.includes('Reproduced on recheck.')).length, 2);
});

test('a later failure of its requirement, or one that needs a key to exhaust, is judged by a new run instead of replayed', () => {
  const commands = (report: Report): readonly string[] =>
    all(parse(reportHtml(report)), 'article').map(
      (cause) => all(cause, 'code').findLast(({ text }) => text.startsWith('petstore'))!.text,
    );
  assert.is(
    commands(sampleReport)[1],
    "petstore-conformance run 'http://127.0.0.1:8080/v1' --only pet-name-kept\npetstore-conformance replay report.json list-limit 'http://127.0.0.1:8080/v1'",
  );
  const exchanges = sampleReport.exchanges.map((exchange) => ({ ...exchange, credentialId: 'rate-limit-key' }));
  for (const command of commands({ ...sampleReport, exchanges })) assert.not.match(command, /replay/);
});

test('remarks on a failure stand where its replay is shown', () => {
  const remarks = (at: number): readonly string[] => all(all(page, 'article')[at]!, 'p').map(({ text }) => text);
  assert.is(
    remarks(0)[1],
    'And 4 more failures of the same kinds. Reproduced on recheck. Shortest sequence that reproduces it: #3, #4.',
  );
  assert.match(remarks(1).join('\n'), `Waived (team ${shown}, until 2027-01-31): known ${shown}`);
  assert.not.match(remarks(1).join('\n'), 'Shortest sequence');
  assert.match(remarks(2).join('\n'), /^FLAKY: /m);
});

test('exchanges have request headers, request body, status, headers and body, and are cut where they are long', () => {
  const created = texts(all(byId('exchange-3'), 'pre'));
  assert.equal(created.slice(0, 2), [
    `POST /pets\ncontent-type: application/json\n${escapeLines(shorten(`x-tenant: ${hostile}`, 300))}`,
    '{\n  "name": "Rex abc123-1",\n  "categoryId": 1\n}',
  ]);
  assert.is(
    all(byId('exchange-3'), 'p')[0]?.text,
    'Sent by create-valid at 2026-11-21T10:00:00.030Z, answered within 3 ms.',
  );
  assert.equal(texts(all(byId('exchange-7'), 'pre')), [
    'GET /pets?limit=2',
    escapeLines(shorten(`no response: socket hang up ${hostile}`, 300)),
  ]);
  const long = byId('exchange-8');
  assert.match(long.text, /body: 601 entries, 5404 characters/);
  assert.match(all(long, 'pre')[2]!.text, /^\[\n {2}\{\n.*… 1789 lines …\n {2}\{\}\n\]$/s);
  assert.match(
    all(page, 'summary')
      .map(({ text }) => text)
      .join('\n'),
    /^#7 GET \/pets\?limit=2 {2}with the API key → no response$/m,
  );
});

test('a report without exchanges gives their numbers, and links to none', () => {
  const bare = parse(reportHtml({ ...sampleReport, exchanges: [] }));
  assert.ok(texts(all(bare, 'p')).includes('Shown by #3, #4.'));
  assert.not.ok(all(bare, 'a').some(({ attributes }) => attributes['href']?.startsWith('#exchange')));
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
    `400 with ${shown}`,
    'The interface mentions store orders and shows no path for them.',
  ]);
  const [known] = gaps;
  assert.equal(
    answers([
      { ...known!, observed: 'accepted, refused-422', example: 4 },
      { ...known!, observed: 'constructor' },
      { ...known!, observed: null },
    ]),
    [
      'Every int64 is accepted as a category. Or: Only known categories are accepted; others get 422 with an Error. (#4)',
      'constructor',
      'Not observed in this run.',
    ],
  );
});

test('the run is drawn, and a sentence says what each chart shows', () => {
  assert.equal(
    all(byId('charts'), 'svg').map(({ attributes }) => attributes['aria-label']),
    [
      'Remaining over time: the API key from 59 to 33; no valid key from 56 to 37; the key to exhaust from 54 to 36.',
      'Median latency: listPets 12 ms, 95 % within 28.6 ms; createPet 14.5 ms, 95 % within 28 ms; getPet 14 ms, 95 % within 28.1 ms; other 14 ms, 95 % within 29.1 ms.',
      'Answers by status: 200: 32, 201: 15, 400: 13, 401: 13, 404: 12, 500: 1, none: 1.',
    ],
  );
  assert.match(byId('charts').text, /9\.4 s from 2\.6 s on: no requests are left until the reset/);
  const bare = sampleReport.timeline.map(({ remaining: _none, status: _unanswered, ...row }) => row);
  const charts = byId('charts', parse(reportHtml({ ...sampleReport, timeline: bare, waits: [] })));
  assert.is(all(charts, 'svg').length, 1);
  assert.match(charts.text, /No answer had X-RateLimit-Remaining\./);
  assert.not.match(charts.text, /Waits|Latenc/);
  assert.not.match(reportHtml({ ...sampleReport, timeline: [] }), /The run in charts/);
});

test('leftovers are listed, and there are no empty sections', () => {
  assert.equal(texts(all(byId('leftovers'), 'li')), ['7 Rex abc123-1', `-9223372036854775808 ${shown}`]);
  const none = reportHtml({ ...sampleReport, created: [], requirements: [], exchanges: [] });
  assert.not.match(none, /Left behind|What is wrong|<h2>Exchanges/);
});

test('up to three failures have their evidence open, more do not', () => {
  const openIn = (report: Report): number => reportHtml(report).split('<details open="">').length - 1;
  const failing = sampleReport.requirements.filter(({ id }) => id === 'auth-invalid-key' || id === 'list-answer');
  assert.is(openIn({ ...sampleReport, requirements: failing }), 2);
  const many = [1, 2, 3, 4].map((at) => ({
    ...failing[0]!,
    id: `failing-${at}` as never,
    failures: [{ code: `code-${at}`, message: `expected ${'abcd'[at - 1]}, received x`, exchanges: [at], curl: '' }],
  }));
  assert.is(openIn({ ...sampleReport, requirements: many }), 0);
  assert.is(openIn({ ...sampleReport, requirements: many.slice(1) }), 3);
});

test('a run that judged nothing shows no matrix of question marks', () => {
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
  assert.not.match(shown, /class="matrix"|id="charts"|id="gaps"/);
  assert.is(shown.split(reason).length - 1, 1);
  assert.match(shown, '<details><summary>None of the 12 requirements was judged.</summary>');
});

test('the commands of a failure say what they do, for a service and for a client', () => {
  const titles = (text: string): readonly string[] =>
    [...text.matchAll(/<h4>(The same|Replay|Start|Run)/g)].map(([, one = '']) => one);
  assert.equal([...new Set(titles(reportHtml(sampleReport)))], ['The same', 'Replay']);
  const client = { command: ['npm', 'test'], services: [] } as never;
  assert.equal([...new Set(titles(reportHtml({ ...sampleReport, client })))], ['Start', 'Run']);
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
      '#charts Charts',
      '#gaps Gaps',
      '#leftovers Left behind',
      '#exchanges Exchanges (8)',
      '#about About',
    ],
  );
});

test.run();
