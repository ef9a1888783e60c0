/** Recognises answers of a gateway among those of a service: they differ in kind from most answers of the run. */

import { isError } from '../http/documented.ts';
import type { Exchange, RecordedResponse } from '../http/exchange.ts';
import { memoize } from '../http/memoize.ts';
import { isAllowed, readListing, readPetId } from '../http/read-request.ts';
import { isGatewayError, statusOf } from '../http/read-response.ts';

export interface GatewayAnswers {
  readonly answered: number;
  /** The answers that look like a gateway's, each with its traits in words. */
  readonly traitsOf: ReadonlyMap<Exchange, string>;
  /** Those that name other software than the answers of the service do, or are pages of a proxy that names itself. */
  readonly namedOtherwise: ReadonlySet<Exchange>;
  /** The 429s among them to a client whose last answer said that requests were left. */
  readonly withRequestsLeft: ReadonlySet<Exchange>;
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

const isNoJson = (exchange: Answered): boolean =>
  !isJsonType(exchange) && (bodyInWords(exchange) !== undefined || exchange.response.body !== '');

/** Whether a page names the software of its own `server` header, as the error pages of a proxy do. */
function namesItself({ response: { headers, body } }: Answered): boolean {
  const [product] = /^[a-z]{3,}/i.exec(headers['server'] ?? '') ?? [];
  return product !== undefined && body.toLowerCase().includes(product.toLowerCase());
}

function bodyInWords({ response }: Answered): string | undefined {
  if (response.body === '') return 'no body';
  if (/^\s*<(?:!doctype|html|head|body)/i.test(response.body)) return 'HTML';
  return undefined;
}

/** Whether an error has a trait of a gateway's answer: no JSON, or no X-RateLimit headers. Most records have none. */
export function mayBeOfGateway(exchange: Exchange): boolean {
  return isAnswered(exchange) && exchange.response.status >= 400 && (isNoJson(exchange) || !hasLimits(exchange));
}

/** The statuses with which a gateway refuses a request that is too large or looks like an attack; §7 lists none of them. */
const refusals: readonly number[] = [403, 406, 413, 414, 431];

/** So many answers of the service show which software its headers name, even where a gateway gives most answers. */
const fewestOfService = 5;

/**
 * The answers that look like a gateway's. An answer of the service has rate-limit headers and a JSON media type; its
 * headers name the software that answers the service is known by. One that deviates in two of these is a gateway's, if it
 * is an error. Unless most answers are the service's, it has to name other software.
 */
export function readGatewayAnswers(exchanges: readonly Exchange[]): GatewayAnswers {
  const answers = exchanges.filter(isAnswered);
  const ofService = answers.filter((exchange) => hasLimits(exchange) && isJsonType(exchange));
  const software = new Set(ofService.map(softwareOf));
  const areMost = ofService.length * 2 > answers.filter((exchange) => !isGatewayError(exchange)).length;
  const traitsOf = new Map<Exchange, string>();
  const namedOtherwise = new Set<Exchange>();
  const withRequestsLeft = new Set<Exchange>();
  const leftFor = new Map<string, number>();
  for (const exchange of areMost || ofService.length >= fewestOfService ? answers : []) {
    const { response, credential } = exchange;
    const left = response.headers['x-ratelimit-remaining'];
    if (left !== undefined) leftFor.set(credential.kind, Number(left));
    if (!mayBeOfGateway(exchange)) continue;
    const named = softwareOf(exchange);
    const [hasNoJson, lacksLimits] = [isNoJson(exchange), !hasLimits(exchange)];
    const isNamedOtherwise = named !== '' && (!software.has(named) || (hasNoJson && namesItself(exchange)));
    // §7 asks for an Error with the statuses that it lists: another body there is a mistake of the service.
    const hasNoError = hasNoJson || (refusals.includes(response.status) && !isError(exchange));
    if (!isNamedOtherwise && !(areMost && hasNoError && lacksLimits)) continue;
    const traits = [
      isNamedOtherwise ? named : '',
      hasNoJson ? (bodyInWords(exchange) ?? 'no JSON') : hasNoError ? 'no Error' : '',
      lacksLimits ? 'no X-RateLimit headers' : '',
    ];
    traitsOf.set(exchange, traits.filter((trait) => trait !== '').join(', '));
    if (isNamedOtherwise) namedOtherwise.add(exchange);
    if (response.status === 429 && (leftFor.get(credential.kind) ?? 0) > 1) withRequestsLeft.add(exchange);
  }
  return { answered: answers.length, traitsOf, namedOtherwise, withRequestsLeft };
}

/** Whether a status is a refusal that other software than the service's may give. §5 asks for 401, whoever gives it. */
const isRefusal = (status: number): boolean => (status >= 400 && status < 500 && status !== 401) || status === 501;

const isPlainHeader = ([name, value]: readonly [string, string]): boolean =>
  name === 'user-agent' || (/^(accept|content-type)$/.test(name) && value === 'application/json');

/** Whether a request has more than §4 and §5 show, apart from its body: a proxy may refuse it before the service sees it. */
export function isOdd(exchange: Exchange): boolean {
  const { operation, request, credential } = exchange;
  if (operation === 'listPets' ? !isAllowed(readListing(exchange)) : request.target.includes('?')) return true;
  if (operation === 'getPet' && typeof readPetId(exchange) !== 'bigint') return true;
  const { words, query, fields } = credential.curl;
  const isElsewhere = query !== undefined || fields !== undefined || !/^(-H "Authorization|$)/.test(words);
  return isElsewhere || !Object.entries(request.headers).every(isPlainHeader);
}

/** Whether a gateway refused a request by itself. A 429 is its own where the request has no key, or the key has requests left. */
function isRefused({ traitsOf, namedOtherwise, withRequestsLeft }: GatewayAnswers, exchange: Exchange): boolean {
  const status = statusOf(exchange) ?? 0;
  const { kind } = exchange.credential;
  if (namedOtherwise.has(exchange)) return isRefusal(status);
  const isOwnLimit = status === 429 && kind !== 'rate-limit' && (kind !== 'valid' || withRequestsLeft.has(exchange));
  const isOfProxy = status === 400 && isOdd(exchange);
  return (refusals.includes(status) || isOwnLimit || isOfProxy) && traitsOf.has(exchange);
}

interface Exchanges {
  readonly exchanges: readonly Exchange[];
}

const gatewaysIn = memoize(({ exchanges }: Exchanges) => readGatewayAnswers(exchanges));

/** Whether a gateway refused a request by itself, so that the answer says nothing about the service. */
export function isGatewayRefusal(history: Exchanges, exchange: Exchange): boolean {
  return mayBeOfGateway(exchange) && isRefused(gatewaysIn(history), exchange);
}

/** Whether a gateway may have refused a request for a header or a cookie that the record leaves out. */
export function mayBeRefusedUnseen(history: Exchanges, exchange: Exchange): boolean {
  const mayRefuse = [400, ...refusals].includes(statusOf(exchange) ?? 0);
  return mayRefuse && mayBeOfGateway(exchange) && gatewaysIn(history).traitsOf.has(exchange);
}

const statusesOfService = memoize((history: Exchanges): ReadonlySet<string> => {
  const own = history.exchanges.filter((exchange) => !gatewaysIn(history).traitsOf.has(exchange));
  return new Set(own.map((exchange) => `${exchange.operation} ${statusOf(exchange)}`));
});

/** Whether a gateway gave an answer with a documented status that the service itself gives to the same operation, too. */
export function isInsteadOfService(history: Exchanges, exchange: Exchange): boolean {
  const answer = `${exchange.operation} ${statusOf(exchange)}`;
  return isGatewayRefusal(history, exchange) && statusesOfService(history).has(answer);
}

const requestOf = ({ request, credential }: Exchange): string =>
  `${request.method} ${request.target} ${credential.id} ${request.body ?? ''}`;

/**
 * The refusals of a gateway that bans the client for a while, as a firewall does: among its refusals in a row is one of a
 * request that the service answers at another time.
 */
export function readBans(exchanges: readonly Exchange[]): ReadonlySet<Exchange> {
  if (!exchanges.some(mayBeOfGateway)) return new Set();
  const gateways = readGatewayAnswers(exchanges);
  const answeredByService = new Set(
    exchanges.filter((one) => isAnswered(one) && !gateways.traitsOf.has(one) && statusOf(one) !== 429).map(requestOf),
  );
  const banned = new Set<Exchange>();
  let inRow: Exchange[] = [];
  const endRow = (): void => {
    if (inRow.some((one) => answeredByService.has(requestOf(one)))) for (const one of inRow) banned.add(one);
    inRow = [];
  };
  for (const exchange of exchanges) {
    if (!isAnswered(exchange) || statusOf(exchange) === 429 || isGatewayError(exchange)) continue;
    if (isRefused(gateways, exchange)) inRow.push(exchange);
    else endRow();
  }
  endRow();
  return banned;
}

/** Who may have sent an answer with these traits. An error page of the service's own framework has the same ones. */
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
