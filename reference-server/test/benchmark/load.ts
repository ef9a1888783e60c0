/** Puts load on one local address, bounded in time and connections, with wrk where it is installed, else with autocannon. */

import { execFile, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';

export interface Question {
  readonly path: string;
  readonly key: string;
  /** Sent by POST; without a body the request is a GET. */
  readonly body?: string;
}

export interface Answered {
  readonly requests: number;
  readonly perSecond: number;
}

const connections = 8;
const seconds = 1;

/** `wrk --version` exits with an error code even where wrk is installed, so only `error` counts. */
const hasWrk = spawnSync('wrk', ['--version']).error === undefined;

export const tool = hasWrk ? 'wrk' : 'autocannon';

async function loadByWrk(url: string, { key, body }: Question): Promise<Answered> {
  const script = new URL('wrk.lua', import.meta.url).pathname;
  const said = body === undefined ? { METHOD: 'GET' } : { METHOD: 'POST', BODY: body };
  const { stdout } = await promisify(execFile)(
    'wrk',
    ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`, '--script', script, url],
    { env: { ...process.env, ...said, AUTHORIZATION: `Bearer ${key}` } },
  );
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(`${url}: ${stdout}`);
  const [, requests] = /(\d+) requests in/.exec(stdout) ?? [];
  const [, perSecond] = /Requests\/sec:\s*([\d.]+)/.exec(stdout) ?? [];
  return { requests: Number(requests), perSecond: Number(perSecond) };
}

/** The part of autocannon that is used here; the package has no types. */
type Autocannon = (options: object) => Promise<{
  readonly requests: { readonly total: number; readonly average: number };
  readonly non2xx: number;
  readonly errors: number;
}>;

async function loadByAutocannon(url: string, { key, body }: Question): Promise<Answered> {
  const autocannon = createRequire(import.meta.url)('autocannon') as Autocannon;
  const content = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const said = body === undefined ? {} : { method: 'POST', body };
  const headers = { Authorization: `Bearer ${key}`, ...content };
  const { requests, non2xx, errors } = await autocannon({ url, connections, duration: seconds, headers, ...said });
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} answers are not 2xx, ${errors} did not come.`);
  return { requests: requests.total, perSecond: requests.average };
}

/** Repeats one request for a second. */
export function load(baseUrl: string, question: Question): Promise<Answered> {
  return (hasWrk ? loadByWrk : loadByAutocannon)(baseUrl + question.path, question);
}
