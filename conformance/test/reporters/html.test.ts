/** The HTML page: well-formed, loads and runs nothing, and tells every verdict and failure in full. */

import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { escapeLines } from '../../reporters/escape.ts';
import { reportHtml } from '../../reporters/html.ts';
import { hostile, sampleReport } from './sample-report.ts';

/** An element of the page, or a text in it. */
interface Node {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Node[];
  readonly text: string;
}

type Parsed = Readonly<Record<string, unknown>>;

function toNode(parsed: Parsed): Node {
  const { ':@': given = {}, ...element } = parsed;
  const [[tag = '', content] = []] = Object.entries(element);
  if (tag === '#text') return { tag, attributes: {}, children: [], text: String(content) };
  const children = (content as readonly Parsed[]).map(toNode);
  const attributes = Object.fromEntries(
    Object.entries(given as Record<string, string>).map(([name, value]) => [name.slice(2), value]),
  );
  return { tag, attributes, children, text: children.map(({ text }) => text).join('') };
}

function parse(html: string): Node {
  const parser = new XMLParser({
    ignoreAttributes: false,
    htmlEntities: true,
    trimValues: false,
    parseTagValue: false,
    preserveOrder: true,
  });
  const roots: readonly Parsed[] = parser.parse(html.replace('<!doctype html>', ''));
  return { tag: '', attributes: {}, children: roots.map(toNode), text: '' };
}

function all(node: Node, tag: string): readonly Node[] {
  return node.children.flatMap((child) => [...(child.tag === tag ? [child] : []), ...all(child, tag)]);
}

const html = reportHtml(sampleReport);
const page = parse(html);
const shown = escapeLines(hostile);

/** The section on a statement that fails or warns. */
function sectionOn(id: string): Node {
  const found = all(page, 'section').find((section) => all(section, 'h2')[0]?.attributes['id'] === id);
  assert.ok(found !== undefined, id);
  return found;
}

/** What is in a row of a table, cell by cell. */
function row(start: string): readonly string[] {
  const cells = all(page, 'tr').map((one) => all(one, 'td').map(({ text }) => text));
  return cells.find((texts) => texts.includes(start)) ?? [];
}

test('the page is well-formed, and has the elements of its templates only', () => {
  assert.is(XMLValidator.validate(html.replace('<!doctype html>', '')), true);
  const tags = new Set([...html.matchAll(/<([a-z0-9]+)/gi)].map(([, tag]) => tag));
  assert.equal(
    [...tags].sort(),
    'a b body br code details h1 h2 head html li meta p pre section small style summary table tbody td th title tr ul'.split(
      ' ',
    ),
  );
});

test('the page loads nothing and runs nothing', () => {
  assert.match(
    html,
    /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"\/>/,
  );
  for (const link of all(page, 'a')) assert.match(link.attributes['href']!, /^#[a-z0-9-]+$/);
  assert.not.match(html, /<[^>]*\s(on\w+|src)=/);
});

test('the verdict and its reason come first', () => {
  const [title] = all(page, 'title');
  assert.is(
    title?.text,
    'Does not conform in 4 of 7 statements; 5 not judged: 1 can be shown by no request, 2 were shown by no answer, 1 broke our check, 1 needs a second key: http://127.0.0.1:8080/v1',
  );
  assert.is(all(page, 'h1')[0]?.text, title?.text);
  assert.equal(
    all(page, 'p')
      .slice(0, 5)
      .map(({ text }) => text),
    [
      'Pet Store Service Interface 1.0.0, judged 2026-11-21T10:00:00.000Z by petstore-conformance 0.1.0.',
      `The waiver of list-limit-refused expired; ${shown}`,
      '1 of 4 interactions hold, 1 failed, 1 pending, 1 could not be verified.',
      '2 passed, 4 failed, 1 warned, 1 of them waived, 1 inconclusive, 2 skipped, 1 not applicable, 1 error of the kit: 12 statements, 7 of them judged.',
      '87 requests, 12 creations, 12.3 s, seed 42.',
    ],
  );
});

test('each failure is told with its message, its exchanges and its curl line', () => {
  for (const { id, statement, failures } of sampleReport.requirements.filter(({ failures }) => failures.length > 0)) {
    const section = sectionOn(id);
    assert.is(all(section, 'p')[0]?.text, statement);
    const summaries = all(section, 'summary').map(({ text }) => text);
    for (const { code, message, curl, exchanges, sequence = [] } of failures) {
      assert.ok(section.text.includes(escapeLines(`${code} ${message}`)), `${id} ${code}`);
      assert.ok(
        all(section, 'pre').some(({ text }) => text === escapeLines(curl)),
        `${id} ${curl}`,
      );
      for (const number of [...exchanges, ...sequence]) {
        assert.ok(
          summaries.some((text) => text.startsWith(`Exchange ${number}: `)),
          `${id} #${number}`,
        );
      }
    }
  }
});

test('an exchange is shown with request headers, request body, status, headers and body', () => {
  const [exchange] = all(sectionOn('pet-name-kept'), 'details');
  assert.equal(
    all(exchange!, 'pre').map(({ text }) => text),
    [
      `POST /pets  with the API key\ncontent-type: application/json\nx-tenant: ${shown}\n\n{"name":"Rex abc123-1","categoryId":1}`,
      '201\ncontent-type: application/json\nx-ratelimit-limit: 60\nx-ratelimit-remaining: 41\nx-ratelimit-reset: 1795255260\n\n{"id":7,"name":"Rex abc123-1","categoryId":1}',
    ],
  );
});

test('a request without a response says why, and what is long is cut', () => {
  const [without] = all(sectionOn('auth-invalid-key'), 'details');
  assert.is(all(without!, 'pre')[1]?.text, `no response: socket hang up ${shown}`);
  assert.match(all(sectionOn('list-limit'), 'pre')[1]!.text, /^200\n.*\[\{"id":7\}.*… \(5518 characters\)$/s);
});

test('what else is known of a failure is told', () => {
  const remarks = (id: string): readonly string[] => all(sectionOn(id), 'p').map(({ text }) => text);
  assert.equal(remarks('pet-name-kept').slice(-3), [
    'And 4 more failures of the same kinds.',
    'It failed again when it was asked once more.',
    'Shortest sequence that shows it: #3, #4.',
  ]);
  assert.match(remarks('list-answer').at(-2)!, /^FLAKY: /);
  assert.is(remarks('list-limit').at(-1), `Waiver (waived) of team ${shown}, until 2027-01-31: known ${shown}`);
  assert.is(all(sectionOn('list-limit'), 'h2')[0]?.text, '§4.1 list-limit: waived');
});

test('all statements are in the table, by section, with their verdict and reason', () => {
  assert.equal(
    all(page, 'th').map(({ text }) => text),
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
  const [about = '', ...verdicts] = row('service-json').slice(0, 2);
  assert.equal([about, ...verdicts], ['service-json', 'pass']);
  assert.match(row('service-json')[2]!, /application\/json\.41 exchanges$/);
  assert.equal(row('list-limit')[1], 'waived');
  assert.equal(row('create-answer')[1], 'error of the kit');
  assert.ok(row('create-answer')[2]?.endsWith(`a check threw: ${shown}`));
  assert.ok(row('list-complete')[2]?.endsWith(`the service answered ${shown}`));
  assert.match(row('rate-exceeded')[2]!, /--rate-limit-key-env; Waiver \(unused\) of edge team, until 2027-01-31: /);
  assert.match(row('service-staging-paths')[2]!, /A run judges one base address; run the kit against each\.$/);
});

test('what fails has a link to its section, and the colour of its verdict', () => {
  const ids = new Set(all(page, 'h2').flatMap(({ attributes }) => attributes['id'] ?? []));
  assert.equal(new Set(all(page, 'a').map(({ attributes }) => attributes['href']?.slice(1))), ids);
  const classes = all(page, 'tr').map(({ attributes }) => attributes['class']);
  for (const verdict of ['pass', 'fail', 'warn', 'waived', 'inconclusive', 'skipped', 'not-applicable', 'error']) {
    assert.ok(classes.includes(verdict), verdict);
  }
});

test('interactions are told with why they do not hold, and with their exchanges', () => {
  const [table] = all(page, 'table');
  const rows = all(table!, 'tr');
  assert.equal(
    rows.map((one) => all(one, 'b')[0]?.text),
    ['pass', 'fail', 'pending', 'not verifiable'],
  );
  assert.ok(rows[1]?.text.includes(`shop ${shown}: a listing ${shown} (given an animal exists and ${shown})`));
  assert.equal(
    all(rows[1]!, 'p').map(({ text }) => text),
    [shown, 'expected status 200, received 500'],
  );
  assert.equal(
    rows.map((one) => all(one, 'details').length),
    [0, 2, 1, 0],
  );
});

test('gaps and leftovers are told', () => {
  assert.match(row('known-categories')[2]!, /accepted\?Every int64 is accepted as a category\.$/);
  assert.match(row('store-orders')[2]!, /have\?not observed$/);
  assert.equal(
    all(page, 'li').map(({ text }) => text),
    ['7 Rex abc123-1', `-9223372036854775808 ${shown}`],
  );
  assert.not.match(reportHtml({ ...sampleReport, created: [] }), /Left behind/);
});

test.run();
