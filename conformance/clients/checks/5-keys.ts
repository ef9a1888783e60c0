/** Requirements about where a client sends its key (§5). */

import type { Exchange } from '../../http/exchange.ts';
import { breaks, type ClientCheck, type ClientFinding, holds } from '../finding.ts';

/** What stands in the place of a key in the record. */
const mark = '[key]';

/** Where a key stands beside the Authorization header. */
function placesOf({ request }: Exchange): readonly string[] {
  const headers = Object.entries(request.headers).filter(([, value]) => value.includes(mark));
  return [
    ...(request.target.includes(mark) ? ['the address'] : []),
    ...headers.map(([name]) => `the header ${name}`),
    ...(request.body?.includes(mark) ? ['the body'] : []),
  ];
}

function judgePlace(exchange: Exchange): readonly ClientFinding[] {
  const { kind } = exchange.credential;
  const found = placesOf(exchange);
  const isInScheme = kind === 'misplaced' && found.length === 0;
  const places = isInScheme ? ['another scheme of the Authorization header'] : found;
  if (places.length > 0) {
    const message = `expected the key in Authorization: Bearer alone, received it in ${places.join(' and ')}`;
    return [breaks('client-key-in-header', 'key-elsewhere', message, exchange)];
  }
  return kind === 'valid' || kind === 'lenient' ? [holds('client-key-in-header', exchange)] : [];
}

function carriesKey(exchange: Exchange): boolean {
  return ['valid', 'lenient', 'misplaced'].includes(exchange.credential.kind) || placesOf(exchange).length > 0;
}

function judgeHost(exchange: Exchange): ClientFinding {
  const requirement = 'client-key-to-base-address';
  if (!carriesKey(exchange)) return holds(requirement, exchange);
  const place = `${exchange.request.method} ${exchange.request.target}`;
  return breaks(
    requirement,
    'key-to-another-host',
    `expected no key at another host, received it with ${place}`,
    exchange,
  );
}

export const keyChecks: readonly ClientCheck[] = [
  { verifies: ['client-key-in-header'], judge: ({ exchanges }) => exchanges.flatMap(judgePlace) },
  {
    verifies: ['client-key-to-base-address'],
    // A client that an answer led elsewhere, and that did not go or went without its key, kept it.
    *judge({ exchanges, elsewhere, variant: world }) {
      yield* elsewhere.map(judgeHost);
      if (!world.variations.some(({ leadsElsewhere }) => leadsElsewhere)) return;
      const ways = exchanges.filter(({ response }) => /\/\/127\.0\.0\.1:\d+\//.test(linkOf(response?.headers)));
      if (elsewhere.length === 0) yield* ways.map((exchange) => holds('client-key-to-base-address', exchange));
    },
  },
];

function linkOf(headers: Readonly<Record<string, string>> = {}): string {
  return `${headers['link'] ?? ''} ${headers['location'] ?? ''}`;
}
