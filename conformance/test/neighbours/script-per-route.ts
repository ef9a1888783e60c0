/** A neighbour in the manner of PHP: a script for each route that reads superglobals and echoes its answer. */

import { createServer } from 'node:http';
import type { Neighbour, NeighbourOptions, RunningNeighbour } from './index.ts';
import { listen } from './listen.ts';

const choices = [
  'only the categories 1 to 5 are known, others are a 404 with an Error',
  'names are unique, one that is taken is refused with 422',
  'ids are microseconds since 1970, pages begin with the newest',
  'a limit outside 1 to 100 is clamped; one that is no integer counts as 20',
  'an unknown status filter finds an empty page; an empty filter is none',
  'unknown query parameters are ignored; of repeated ones the last wins',
  'unknown body fields are dropped, an id in the body too',
  'an omitted status becomes sold',
  'names are any well-formed text that is not empty, others are refused with 400',
  'the scheme may be written in any case',
  'a 401 carries WWW-Authenticate',
  'a fixed window is a minute of the clock; refused requests count; the 429 body is an Error',
  'after four requests beyond the limit the key is banned for 10 minutes: 429 with another Retry-After and Reset',
  'requests without a valid key are not counted: they always see 60 of 60',
  'other paths answer 404, other methods 405, with an Error',
  'JSON ends with a new line, charset is said in upper case, header names are written oddly',
];

interface Server {
  readonly REQUEST_METHOD: string;
  readonly PATH: string;
  readonly QUERY: string;
  readonly AUTHORIZATION: string;
  readonly INPUT: Buffer;
}

/** What a script sees of one request, and what it wrote. */
class Page {
  readonly $_SERVER: Server;
  readonly $_GET: Readonly<Record<string, string>>;
  readonly sent = new Map<string, string>();
  code = 200;
  output = '';
  constructor(server: Server) {
    this.$_SERVER = server;
    this.$_GET = Object.fromEntries(new URLSearchParams(server.QUERY));
  }
  header(name: string, value: string | number): void {
    this.sent.set(name, String(value));
  }
  echo(...texts: readonly unknown[]): void {
    this.output += texts.join('');
  }
}

/** Ends a script, as `exit` does. */
class Exit extends Error {}

function die(page: Page, status: number, code: string, message: string): never {
  page.code = status;
  page.output = JSON.stringify({ status, code, message });
  throw new Exit();
}

interface Row {
  readonly id: number;
  readonly name: string;
  readonly category_id: number;
  readonly status: string;
}
interface Bookkeeping {
  minute: number;
  used: number;
  beyond: number;
  bannedUntil: number;
}

const $statuses: readonly unknown[] = ['available', 'pending', 'sold'];
const $categories: readonly number[] = [1, 2, 3, 4, 5];

function createScripts(now: () => number, $limits: ReadonlyMap<string, number>) {
  const $pets: Row[] = [];
  const $books = new Map<string, Bookkeeping>();
  let $lastId = 0;

  const show = (row: Row): string =>
    JSON.stringify({ id: row.id, name: row.name, categoryId: row.category_id, status: row.status });

  /** auth.inc.php */
  function requireKey(page: Page): void {
    const $key = /^bearer (.*)$/i.exec(page.$_SERVER.AUTHORIZATION)?.[1] ?? '';
    const $limit = $limits.get($key);
    const $second = Math.floor(now() / 1000);
    const $minute = Math.floor($second / 60);
    page.header('X-RATELIMIT-limit', $limit ?? 60);
    page.header('X-RATELIMIT-reset', ($minute + 1) * 60);
    if ($limit === undefined) {
      page.header('X-RATELIMIT-remaining', 60);
      page.header('WWW-Authenticate', 'Bearer realm="pets"');
      die(page, 401, 'NO_KEY', 'Please send a valid API key.');
    }
    const $book = $books.get($key) ?? { minute: $minute, used: 0, beyond: 0, bannedUntil: 0 };
    $books.set($key, $book);
    if ($book.minute !== $minute) Object.assign($book, { minute: $minute, used: 0, beyond: 0 });
    $book.used += 1;
    page.header('X-RATELIMIT-remaining', Math.max(0, $limit - $book.used));
    if ($book.used > $limit) $book.beyond += 1;
    if ($book.beyond > 4 && $book.bannedUntil <= $second) $book.bannedUntil = $second + 600;
    if ($book.bannedUntil > $second) {
      page.header('X-RATELIMIT-remaining', 0);
      page.header('X-RATELIMIT-reset', $book.bannedUntil);
      page.header('retry-AFTER', $book.bannedUntil - $second);
      die(page, 429, 'BANNED', 'Your key is banned for ten minutes.');
    }
    if ($book.beyond === 0) return;
    page.header('retry-AFTER', ($minute + 1) * 60 - $second);
    die(page, 429, 'TOO_MANY', 'You have used up this minute.');
  }

  /** json.inc.php: the body as an object, whose integers are bigint */
  function decodeBody(page: Page): Readonly<Record<string, unknown>> {
    let $body: unknown;
    try {
      const $text = new TextDecoder('utf-8', { fatal: true }).decode(page.$_SERVER.INPUT);
      $body = JSON.parse($text, (_field, value, context?: { source: string }) =>
        typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '') ? BigInt(context!.source) : value,
      );
    } catch {
      die(page, 400, 'NO_JSON', 'The body is not JSON.');
    }
    const $isObject = typeof $body === 'object' && $body !== null && !Array.isArray($body);
    return $isObject ? ($body as Record<string, unknown>) : die(page, 400, 'NO_OBJECT', 'The body is not an object.');
  }

  const scripts = {
    /** pets.get.php */
    'GET /v1/pets'(page: Page): void {
      const { limit = '', status = '' } = page.$_GET;
      const $limit = /^-?\d+$/.test(limit) ? Math.max(1, Math.min(100, Number(limit))) : 20;
      const $found = $pets.filter((row) => status === '' || row.status === status);
      page.echo('[', $found.slice(0, $limit).map(show).join(','), ']');
    },

    /** pets.post.php */
    'POST /v1/pets'(page: Page): void {
      const { name, categoryId, status = 'sold' } = decodeBody(page);
      if (typeof name !== 'string' || name === '') die(page, 400, 'BAD_NAME', 'name must be a string.');
      if (!name.isWellFormed()) die(page, 400, 'BAD_NAME', 'name must be Unicode.');
      if (typeof categoryId !== 'bigint') die(page, 400, 'BAD_CATEGORY', 'categoryId must be an integer.');
      if (categoryId < -(2n ** 63n) || categoryId > 2n ** 63n - 1n) die(page, 400, 'BAD_CATEGORY', 'Not an int64.');
      if (!$statuses.includes(status)) die(page, 400, 'BAD_STATUS', 'There is no such status.');
      const $category = $categories.find((known) => BigInt(known) === categoryId);
      if ($category === undefined) die(page, 404, 'NO_CATEGORY', 'There is no such category.');
      if ($pets.some((row) => row.name === name)) die(page, 422, 'NAME_TAKEN', 'There is one with this name.');
      $lastId = Math.max($lastId + 1, now() * 1000);
      const $row: Row = { id: $lastId, name, category_id: $category, status: String(status) };
      $pets.unshift($row);
      page.code = 201;
      page.echo(show($row));
    },

    /** pet.get.php */
    'GET /v1/pets/*'(page: Page): void {
      const $id = page.$_SERVER.PATH.slice('/v1/pets/'.length).replace(/%3(\d)/g, '$1');
      const $row = $pets.find((row) => String(row.id) === $id);
      if ($row === undefined) die(page, 404, 'NO_PET', 'There is no such animal.');
      page.echo(show($row));
    },

    /** 404.php */
    '404'(page: Page): void {
      die(page, 404, 'NO_SCRIPT', 'There is no script for this.');
    },

    /** 405.php */
    '405'(page: Page): void {
      page.header('Allow', 'GET, POST');
      die(page, 405, 'NO_METHOD', 'This method is not for here.');
    },
  } as const;

  /** .htaccess */
  function rewrite({ REQUEST_METHOD, PATH }: Server): keyof typeof scripts {
    const $path = PATH.startsWith('/v1/pets/') ? '/v1/pets/*' : PATH;
    const $route = `${REQUEST_METHOD} ${$path}`;
    if ($route === 'GET /v1/pets' || $route === 'POST /v1/pets' || $route === 'GET /v1/pets/*') return $route;
    return $path === '/v1/pets' || $path === '/v1/pets/*' ? '405' : '404';
  }

  return (server: Server): Page => {
    const page = new Page(server);
    try {
      requireKey(page);
      scripts[rewrite(server)](page);
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
    }
    return page;
  };
}

function start({ now, keys }: NeighbourOptions): Promise<RunningNeighbour> {
  const run = createScripts(
    now,
    new Map([
      [keys.api, 1000],
      [keys.rateLimit, 9],
    ]),
  );
  const server = createServer(async (request, response) => {
    const INPUT = Buffer.concat(await Array.fromAsync(request));
    const [PATH = '', QUERY = ''] = (request.url ?? '').split('?');
    const AUTHORIZATION = request.headers.authorization ?? '';
    const page = run({ REQUEST_METHOD: request.method ?? '', PATH, QUERY, AUTHORIZATION, INPUT });
    page.header('Date', new Date(now()).toUTCString());
    page.header('content-TYPE', 'application/json;charset=UTF-8');
    response.writeHead(page.code, Object.fromEntries(page.sent)).end(`${page.output}\n`);
  });
  return listen(server);
}

export const scriptPerRoute: Neighbour = {
  id: 'script-per-route',
  choices,
  plan: 'business',
  categoryIds: [1n, 2n, 3n, 4n, 5n],
  start,
};
