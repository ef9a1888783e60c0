/** The failures on the HTML page: by cause, each with its evidence, its remarks and the commands that show it again. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { escapeLines, shorten } from '../../reporters/escape.ts';
import { reportHtml } from '../../reporters/html.ts';
import type { Report } from '../../verdict/report.ts';
import { all, elementOf, facts, parse, texts } from './parsed-page.ts';
import { hostile, sampleReport } from './sample-report.ts';

const page = parse(reportHtml(sampleReport));
const shown = escapeLines(hostile);

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
  assert.is(
    replay,
    "petstore-conformance run 'http://127.0.0.1:8080/v1' --last-failed report.json --only pet-name-kept",
  );
  assert.equal(more, []);
  assert.match(all(evidence!, 'li')[0]!.text, /^#5, #6 name-changed expected name of no harm, received /);
});

test('the last two of many exchanges of a failure are shown, and each requirement has its remarks', () => {
  const failure = { code: 'odd', expected: 'a', received: 'b', exchanges: [3, 4, 5, 6], curl: 'curl' };
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
    "petstore-conformance run 'http://127.0.0.1:8080/v1' --only pet-name-kept\npetstore-conformance run 'http://127.0.0.1:8080/v1' --last-failed report.json --only list-limit",
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
  const created = texts(all(elementOf(page, 'exchange-3'), 'pre'));
  assert.equal(created.slice(0, 2), [
    `POST /pets\ncontent-type: application/json\n${escapeLines(shorten(`x-tenant: ${hostile}`, 300))}`,
    '{\n  "name": "Rex abc123-1",\n  "categoryId": 1\n}',
  ]);
  assert.is(
    all(elementOf(page, 'exchange-3'), 'p')[0]?.text,
    'Sent by create-valid at 2026-11-21T10:00:00.030Z, answered within 3 ms.',
  );
  assert.equal(texts(all(elementOf(page, 'exchange-7'), 'pre')), [
    'GET /pets?limit=2',
    escapeLines(shorten(`no response: socket hang up ${hostile}`, 300)),
  ]);
  const long = elementOf(page, 'exchange-8');
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

test('up to three failures have their evidence open, more do not', () => {
  const openIn = (report: Report): number => reportHtml(report).split('<details open="">').length - 1;
  const failing = sampleReport.requirements.filter(({ id }) => id === 'auth-invalid-key' || id === 'list-answer');
  assert.is(openIn({ ...sampleReport, requirements: failing }), 2);
  const many = [1, 2, 3, 4].map((at) => ({
    ...failing[0]!,
    id: `failing-${at}` as never,
    failures: [{ code: `code-${at}`, expected: `${'abcd'[at - 1]}`, received: `x`, exchanges: [at], curl: '' }],
  }));
  assert.is(openIn({ ...sampleReport, requirements: many }), 0);
  assert.is(openIn({ ...sampleReport, requirements: many.slice(1) }), 3);
});

test('the commands of a failure say what they do, for a service and for a client', () => {
  const titles = (text: string): readonly string[] =>
    [...text.matchAll(/<h4>(The same|Replay|Start|Run)/g)].map(([, one = '']) => one);
  assert.equal([...new Set(titles(reportHtml(sampleReport)))], ['The same', 'Replay']);
  const client = { command: ['npm', 'test'], services: [] } as never;
  assert.equal([...new Set(titles(reportHtml({ ...sampleReport, client })))], ['Start', 'Run']);
});

test.run();
