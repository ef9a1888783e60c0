/** Remedies in Hono. Each was tried: the requirement failed before, and held after. */

import type { RemediesOfStack } from './remedy.ts';

export const inHono: RemediesOfStack = {
  'headers-missing': {
    advice: 'Set the headers behind `next()` in the first middleware; it sees 401, 404 and 429, too:',
    code: [
      'app.use(async (c, next) => {',
      '  await next();',
      "  const { limit, remaining, resetTime } = c.get('rateLimit');",
      '  const all = { Limit: limit, Remaining: remaining, Reset: Math.ceil(resetTime / 1000) };',
      "  for (const name in all) c.header('X-RateLimit-' + name, String(all[name])); });",
    ],
  },
  'int64-rounded': {
    advice: 'Read the text of the body with a reviver that sees the digits (Node 22), and write them raw:',
    code: [
      'const reviver = (key, value, { source }) =>',
      "  key === 'categoryId' && /^-?\\d+$/.test(source) ? BigInt(source) : value;",
      'const readJson = async (c) => JSON.parse(await c.req.text(), reviver);',
      'BigInt.prototype.toJSON = function () { return JSON.rawJSON(String(this)); };',
    ],
  },
  'values-converted': {
    advice: '`z.int64()` wants a bigint in its range, which the reviver of the int64 entry makes:',
    code: ['categoryId: z.int64(),'],
  },
  'null-omitted': {
    advice: 'Give the field a default; `.nullish()` takes null:',
    code: ["status: PetStatus.default('available'),"],
  },
  'body-before-key': {
    advice: 'Check the key in `app.use`, above the routes, so that it runs before any validator:',
    code: [
      'app.use(async (c, next) => {',
      "  if (keyOf(c) === undefined) throw new HTTPException(401, { message: 'No valid API key' });",
      '  await next();',
      '});',
    ],
  },
  'key-lookup': {
    advice: 'Match the header yourself, with keys in a `Map`; `bearerAuth` answers 400 to other forms:',
    code: [
      "const [, key] = /^Bearer (\\S+)$/i.exec(c.req.header('Authorization') ?? '') ?? [];",
      'return plans.has(key) ? key : undefined;',
    ],
  },
  'broken-body': {
    advice: '`c.req.json()` throws for broken JSON; catch it, and let the schema refuse what is no object:',
    code: [
      'const body = await readJson(c).catch(() => undefined);',
      'const { success, data } = NewPet.safeParse(body);',
      "if (!success) throw new HTTPException(400, { message: 'The body is no valid animal' });",
    ],
  },
  'framework-errors': {
    advice: 'Set both handlers; `HTTPException` and unknown paths are plain text without them:',
    code: [
      "app.notFound(() => { throw new HTTPException(404, { message: 'No such path' }); });",
      'app.onError((error, c) => {',
      '  const { status = 500, message } = error;',
      '  return c.json({ code: error.name, message, status }, status);',
      '});',
    ],
  },
  'names-trimmed': {
    advice: 'Take `.trim()` out of the schema:',
    code: ['name: z.string(),'],
  },
  'page-limit': {
    advice: 'Give limit its default and its bounds in the schema of the query:',
    code: ["limit: z.string().regex(/^\\d+$/).default('20').transform(Number).pipe(z.int().min(1).max(100)),"],
  },
  'limit-answers': {
    advice: 'Count by key, and answer by `c.json`; a `new Response` drops what `c.header` has set:',
    code: [
      "keyGenerator: (c) => keyOf(c) ?? 'anonymous',",
      "handler: (c) => c.json({ code: 'rate_limited', message: 'Too many requests', status: 429 }, 429),",
    ],
  },
};
