/** Remedies in NestJS. Each was tried: the requirement failed before, and held after. */

import type { RemediesOfStack } from './remedy.ts';

export const inNestJS: RemediesOfStack = {
  'headers-missing': {
    advice: 'Count in a middleware of main.ts: guards run after parsing, and only for known paths.',
    code: ['app.use(rateLimit);'],
  },
  'int64-rounded': {
    advice: 'Give the parser a reviver that sees the digits (Node 22), and write them raw:',
    code: [
      'const reviver = (key: string, value: unknown, { source }: { source: string }) =>',
      "  key === 'categoryId' && /^-?\\d+$/.test(source) ? BigInt(source) : value;",
      "app.useBodyParser('json', { reviver });",
      '(BigInt.prototype as any).toJSON = function () { return (JSON as any).rawJSON(String(this)); };',
    ],
  },
  'values-converted': {
    advice: 'Validate what was parsed, by the reviver of the int64 entry, without `enableImplicitConversion`:',
    code: [
      "const IsInt64 = () => ValidateBy({ name: 'isInt64', validator: { validate: (value) =>",
      "  typeof value === 'bigint' && BigInt.asIntN(64, value) === value } });",
      '@IsInt64() categoryId!: any;',
      'app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));',
    ],
  },
  'null-omitted': {
    advice: '`@IsOptional()` takes null; ask for undefined:',
    code: [
      '@ValidateIf((pet) => pet.status !== undefined) @IsEnum(PetStatus)',
      'status?: PetStatus = PetStatus.available;',
    ],
  },
  'body-before-key': {
    advice: 'Check the key in a middleware of main.ts; guards run when the body is parsed:',
    code: [
      'function authenticate(req: any, res: any, next: any) {',
      '  next(keyOf(req) ? undefined : new UnauthorizedException());',
      '}',
      'app.use(authenticate);',
    ],
  },
  'key-lookup': {
    advice: "Match the whole header, and keep the keys in a `Map`; `split(' ')` drops a word behind the key:",
    code: [
      "const [, key = ''] = /^Bearer (\\S+)$/i.exec(req.headers.authorization ?? '') ?? [];",
      'return plans.has(key) ? key : undefined;',
    ],
  },
  'broken-body': {
    advice: 'Type `@Body()` with a class: the ValidationPipe passes an interface on as it is.',
    code: ['create(@Body() body: NewPet) {'],
  },
  'unusual-text': {
    advice: 'Deep nesting overflows the stack in the ValidationPipe: answer 400 for a RangeError.',
    code: [
      '@Catch(RangeError)',
      'class DepthFilter extends ErrorFilter {',
      "  catch(_: any, host: any) { super.catch(new BadRequestException('Nested too deeply'), host); }",
      '}',
    ],
  },
  'framework-errors': {
    advice: 'Bind a filter by `useGlobalFilters`; Nest itself writes statusCode, error and message:',
    code: [
      '@Catch()',
      'class ErrorFilter {',
      '  catch({ name: code, message, status = 500 }: any, host: any) {',
      '    host.switchToHttp().getResponse().status(status).json({ code, message, status });',
      '  } }',
    ],
  },
  'names-trimmed': {
    advice: 'Take the `@Transform` that trims out of the class:',
    code: ['@IsString() name!: string;'],
  },
  'page-limit': {
    advice: 'Give limit its default and its bounds in the class of the query:',
    code: [
      '@Transform(({ value }) => (/^\\d+$/.test(value) ? Number(value) : value)) @IsInt() @Min(1) @Max(100)',
      'limit = 20;',
    ],
  },
  'limit-answers': {
    advice: 'Count by key; ThrottlerGuard counts each handler by itself, and a named one sends Retry-After-NAME:',
    code: [
      'const id = key ?? req.ip;',
      "if (remaining < 0) res.setHeader('Retry-After', Math.ceil((reset - now) / 1000));",
    ],
  },
};
