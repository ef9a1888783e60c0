/** Remedies in frameworks for Node.js. Each was tried: the requirement failed before, and held after. */

import type { RemediesOfStack } from './remedy.ts';

export const inExpress: RemediesOfStack = {
  'headers-missing': {
    advice: 'Mount the limiter first; it counts requests without a key by their address:',
    code: ['app.use(rateLimit);'],
  },
  'int64-rounded': {
    advice: '`JSON.parse` shows the digits to its reviver (Node 22); `JSON.rawJSON` writes them:',
    code: [
      'const reviver = (key, value, { source }) =>',
      "  key === 'categoryId' && /^-?\\d+$/.test(source) ? BigInt(source) : value;",
      'const parseJson = express.json({ reviver });',
      'BigInt.prototype.toJSON = function () { return JSON.rawJSON(String(this)); };',
    ],
  },
  'values-converted': {
    advice: 'With the reviver of the int64 entry a categoryId is a bigint, or it is invalid:',
    code: [
      "if (typeof categoryId !== 'bigint' || BigInt.asIntN(64, categoryId) !== categoryId)",
      "  throw new ApiError(400, 'invalid_category', 'categoryId must be an int64');",
    ],
  },
  'null-omitted': {
    advice: 'Compare with undefined: `??` and `== null` take null for a field that was left out:',
    code: ["const status = body.status === undefined ? 'available' : body.status;"],
  },
  'body-before-key': {
    advice: 'Parse the body behind the key, not with `app.use(express.json())` at the top:',
    code: ['v1.use(authenticate);', 'v1.use(parseJson);'],
  },
  'key-lookup': {
    advice: 'Match the whole header, and keep the keys in a `Map`:',
    code: [
      "const [, key] = /^Bearer (\\S+)$/i.exec(req.get('authorization') ?? '') ?? [];",
      'return plans.has(key) ? key : undefined;',
    ],
  },
  'broken-body': {
    advice: '`req.body` is undefined without a body, and may be any JSON:',
    code: [
      "if (typeof body !== 'object' || body === null || Array.isArray(body))",
      "  throw new ApiError(400, 'invalid_body', 'The body must be a JSON object');",
    ],
  },
  'framework-errors': {
    advice: 'Put a handler for unknown paths and one for errors at the end:',
    code: [
      "app.use((req, res, next) => next(new ApiError(404, 'not_found', 'No such path')));",
      'app.use((error, req, res, next) => {',
      "  const { status = 500, code = 'error', message } = error;",
      '  res.status(status).json({ code, message, status });',
      '});',
    ],
  },
  'names-trimmed': {
    advice: 'Take `.trim()` out of the validation (zod, Joi and express-validator offer it):',
    code: ['const { name } = body;'],
  },
  'page-limit': {
    advice: 'Give limit its default and its bounds in one place, before the query:',
    code: [
      'const limit = Number(req.query.limit ?? 20);',
      'if (!Number.isInteger(limit) || limit < 1 || limit > 100)',
      "  throw new ApiError(400, 'invalid_limit', 'limit must be an integer from 1 to 100');",
    ],
  },
  'limit-answers': {
    advice: 'Count by key for all routes together, and let a 429 wait for the reset:',
    code: [
      'const id = keyOf(req) ?? req.ip;',
      'if (w.count > limit) {',
      "  res.set('Retry-After', String(secondsLeft));",
      "  throw new ApiError(429, 'rate_limited', 'Too many requests');",
      '}',
    ],
  },
};

export const inFastify: RemediesOfStack = {
  'headers-missing': {
    advice: 'Count in the first `onRequest` hook of the root, before the one that checks the key:',
    code: ["app.addHook('onRequest', async (request, reply) => take(request, reply));"],
  },
  'int64-rounded': {
    advice: 'Parse the body with a reviver that sees the digits (Node 22), and write them raw:',
    code: [
      'const reviver = (key, value, { source }) =>',
      "  key === 'categoryId' && /^-?\\d+$/.test(source) ? BigInt(source) : value;",
      "const json = ['application/json', { parseAs: 'string' }, async (request, text) => parse(text)];",
      'app.addContentTypeParser(...json);',
      'BigInt.prototype.toJSON = function () { return JSON.rawJSON(String(this)); };',
    ],
  },
  'values-converted': {
    advice: 'Turn the coercion of Ajv off; then read the number of a query yourself:',
    code: ['const app = Fastify({ ajv: { customOptions: { coerceTypes: false } } });'],
  },
  'body-before-key': {
    advice: 'Check the key in `onRequest`; `preValidation` and `preHandler` come after parsing:',
    code: [
      "app.addHook('onRequest', async (request) => {",
      "  if (keyOf(request) === undefined) throw failWith(401, 'unauthorized', 'No valid API key');",
      '});',
    ],
  },
  'key-lookup': {
    advice: 'Match the whole header, and keep the keys in a `Map`:',
    code: [
      "const [, key] = /^Bearer (\\S+)$/i.exec(request.headers.authorization ?? '') ?? [];",
      'return plans.has(key) ? key : undefined;',
    ],
  },
  'broken-body': {
    advice: 'An error without `statusCode` is a 500; give what `JSON.parse` throws a 400:',
    code: [
      'try {',
      '  return JSON.parse(text, reviver);',
      '} catch (error) {',
      "  throw Object.assign(error, { statusCode: 400, code: 'invalid_json' });",
      '}',
    ],
  },
  'framework-errors': {
    advice: 'Set both handlers behind the hooks; Fastify itself writes statusCode, error and message:',
    code: [
      "app.setNotFoundHandler(() => { throw failWith(404, 'not_found', 'No such path'); });",
      "app.setErrorHandler(({ statusCode: status = 500, code = 'error', message }, request, reply) =>",
      '  reply.code(status).send({ code, message, status }));',
    ],
  },
  'page-limit': {
    advice: 'Give limit its default, and refuse what is outside:',
    code: [
      "const { limit = '20', status } = request.query;",
      'if (!/^\\d+$/.test(limit) || limit < 1 || limit > 100)',
      "  throw failWith(400, 'invalid_limit', 'limit must be an integer from 1 to 100');",
    ],
  },
};
