/** Recognises answers of a gateway among those of a service: they differ in kind from most answers of the run. */

import type { Exchange, RecordedResponse } from '../http/exchange.ts';
import { memoize } from '../http/memoize.ts';
import { statusOf } from '../http/read-response.ts';
import type { History } from './history.ts';

export interface GatewayAnswers {
  readonly answered: number;
  /** The answers that look like a gateway's, each with its traits in words. */
  readonly traitsOf: ReadonlyMap<Exchange, string>;
}

type Answered = Exchange & { readonly response: RecordedResponse };

function isAnswered(exchange: Exchange): exchange is Answered {
  return exchange.response !== undefined;
}

const hasLimits = ({ response }: Answered): boolean =>
  Object.keys(response.headers).some((name) => name.startsWith('x-ratelimit-'));

const isJsonType = ({ response }: Answered): boolean => /\bjson\b/i.test(response.headers['content-type'] ?? '');

/** The software that the headers name. Only plain characters: the text is the target's. */
function softwareOf({ response: { headers } }: Answered): string {
  const named = (['server', 'via'] as const).flatMap((name) => {
    const value = headers[name]?.replace(/[^\w./ ()+-]/g, '').slice(0, 40);
    return value === undefined || value === '' ? [] : [`${name}: ${value}`];
  });
  return named.join(', ');
}

function bodyInWords({ response }: Answered): string | undefined {
  if (response.body === '') return 'no body';
  if (/^\s*<(?:!doctype|html|head|body)/i.test(response.body)) return 'HTML';
  return undefined;
}

/**
 * The answers that look like a gateway's. An answer of the service has rate-limit headers and a JSON media type; its
 * headers name the software that answers the service is known by. One that deviates in two of these is a gateway's, if it
 * is an error. Nothing is recognised unless most answers are the service's.
 */
export function readGatewayAnswers(exchanges: readonly Exchange[]): GatewayAnswers {
  const answers = exchanges.filter(isAnswered);
  const ofService = answers.filter((exchange) => hasLimits(exchange) && isJsonType(exchange));
  const software = new Set(ofService.map(softwareOf));
  const traitsOf = new Map<Exchange, string>();
  for (const exchange of ofService.length * 2 > answers.length ? answers : []) {
    if (exchange.response.status < 400) continue;
    const named = softwareOf(exchange);
    const isNamedOtherwise = named !== '' && !software.has(named);
    const isNoJson = !isJsonType(exchange) && (bodyInWords(exchange) !== undefined || exchange.response.body !== '');
    const lacksLimits = !hasLimits(exchange);
    if ([isNamedOtherwise, isNoJson, lacksLimits].filter(Boolean).length < 2) continue;
    const traits = [
      isNamedOtherwise ? named : '',
      isNoJson ? (bodyInWords(exchange) ?? 'no JSON') : '',
      lacksLimits ? 'no X-RateLimit headers' : '',
    ];
    traitsOf.set(exchange, traits.filter((trait) => trait !== '').join(', '));
  }
  return { answered: answers.length, traitsOf };
}

/** The statuses with which a gateway refuses a request that is too large or looks like an attack; §7 lists none of them. */
const refusals: readonly number[] = [403, 406, 413, 414, 431];

const traitsIn = memoize(({ exchanges }: History) => readGatewayAnswers(exchanges).traitsOf);

/** Whether a gateway refused a request by itself, so that the answer says nothing about the service. */
export function isGatewayRefusal(history: History, exchange: Exchange): boolean {
  return refusals.includes(statusOf(exchange) ?? 0) && traitsIn(history).has(exchange);
}

/** Who may have sent such an answer. The framework of a service crashes in the same manner, under the service's `server`. */
const originOf = (traits: string): string =>
  /^(?:server|via): /.test(traits) ? "a gateway's" : "a gateway's or a framework's";

const mostKinds = 3;

/** One sentence, such as "27 of 286 answers look like a gateway's (server: nginx, HTML, no X-RateLimit headers).". */
export function describeGatewayAnswers({ answered, traitsOf }: GatewayAnswers): string | undefined {
  if (traitsOf.size === 0) return undefined;
  const kinds = [...Map.groupBy(traitsOf.values(), (traits) => traits)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
  const [only] = kinds;
  const shown = kinds.slice(0, mostKinds).map(([traits, all]) => `${all.length} with ${traits}`);
  const inWords = kinds.length === 1 ? only![0] : shown.join('; ');
  return `${traitsOf.size} of ${answered} answers look like ${originOf(only![0])} (${inWords}).`;
}

/** A remark on a failure that rests on a gateway's answers alone: all the exchanges that it cites for their answers are such. */
export function gatewayRemark({ traitsOf }: GatewayAnswers, exchanges: readonly Exchange[]): string {
  const last = exchanges.at(-1);
  const traits = last === undefined ? undefined : traitsOf.get(last);
  const errors = exchanges.filter(({ response }) => (response?.status ?? 0) >= 400);
  if (traits === undefined || !errors.every((exchange) => traitsOf.has(exchange))) return '';
  return ` (the answer looks like ${originOf(traits)}: ${traits})`;
}
