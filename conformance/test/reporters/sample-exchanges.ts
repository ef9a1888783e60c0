/** The exchanges of the sample report: one with a failure, hostile and cut bodies. */

import type { ReportedExchange } from '../../verdict/report.ts';

/** Markup, commands of terminals, CIs, spreadsheets and Markdown, and what is no character. */
export const hostile = [
  '</testcase></pre><script>alert(1)</script><img src=x onerror=alert(1)>',
  ']]> &amp; "quoted" \'single\' \u0000\u0007\u001b[2J\u009b31m \u202e\u2066\u200b\u{e0041}\ufeff\ufffe \ud800',
  '\n::error title=x::owned\n##[error]owned ##vso[task.setvariable]x\r%0A::warning::x',
  '`````` ```` ``` [link](javascript:x) www.example.com @team #12 | a | <b> **x** _y_ $z$ ![i](http://x)',
  '=HYPERLINK("http://x") $(id) `id`',
].join(' ');

export const startedAt = '2026-11-21T10:00:00.000Z';
const limits = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '41', 'x-ratelimit-reset': '1795255260' };
const json = { 'content-type': 'application/json', ...limits };

type Part = Partial<Omit<ReportedExchange, 'number' | 'request'>>;

function exchange(number: number, request: ReportedExchange['request'], part: Part): ReportedExchange {
  return {
    number,
    check: 'list-filter',
    operation: 'listPets',
    credential: 'the API key',
    credentialId: 'api-key',
    request,
    startedAt: new Date(Date.parse(startedAt) + 10 * number).toISOString(),
    durationMs: number % 7,
    ...part,
  };
}

function creation(number: number, body: string, status: number, answer: string): ReportedExchange {
  return exchange(
    number,
    { method: 'POST', target: '/pets', headers: { 'content-type': 'application/json', 'x-tenant': hostile }, body },
    { check: 'create-valid', operation: 'createPet', response: { status, headers: json, body: answer } },
  );
}

const listing = (number: number, target: string, part: Part): ReportedExchange =>
  exchange(number, { method: 'GET', target, headers: {} }, part);

export const exchanges: readonly ReportedExchange[] = [
  creation(3, '{"name":"Rex abc123-1","categoryId":1}', 201, '{"id":7,"name":"Rex abc123-1","categoryId":1}'),
  listing(4, '/pets?limit=100', {
    response: { status: 200, headers: json, body: '[{"id":7,"name":"rex abc123-1","categoryId":1}]' },
  }),
  creation(5, JSON.stringify({ name: hostile, categoryId: 1 }), 201, JSON.stringify({ id: 8, name: hostile })),
  listing(6, '/pets?limit=2&status=sold', {
    response: { status: 200, headers: { ...json, location: hostile, 'x-echo': hostile }, body: hostile },
  }),
  listing(7, '/pets?limit=2', { failure: { code: 'ECONNRESET', message: `socket hang up ${hostile}` } }),
  listing(8, '/pets?limit=1', { response: { status: 200, headers: json, body: `[${'{"id":7},'.repeat(600)}{}]` } }),
  listing(9, '/pets?limit=101', { response: { status: 500, headers: {}, body: '' } }),
  listing(10, '/pets', {
    check: 'auth-near-misses',
    credential: 'the key without its last character',
    credentialId: 'last-character-missing',
    response: { status: 200, headers: { 'content-type': 'text/html' }, body: '', isNotUtf8: true },
  }),
];
