/** A server that speaks the HAL of a Pact Broker for the calls of a verification. Its pacts are those of the main branch. */

import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listening } from '../../conformance/test/http/servers.ts';

interface Result {
  readonly success: boolean;
  readonly providerApplicationVersion: string;
  readonly testResults: readonly { readonly interactionId?: string }[];
}
type Asked = Readonly<{ consumerVersionSelectors?: readonly object[]; includePendingStatus?: boolean }>;

/** Links with an internal host, as a broker behind a proxy may have. */
function hrefs(links: Readonly<Record<string, string>>): object {
  const all = Object.entries(links).map(([name, path]) => [name, { href: `http://internal:9292${path}`, name: path }]);
  return Object.fromEntries(all);
}

const list = '/pacts/provider/pet-store/for-verification';

/** Starts it with some pacts, which it never saw verified. The token is the password of its reader, too. */
export async function startBroker(token: string, pacts: readonly { readonly interactions: readonly object[] }[]) {
  const results: Result[] = [];
  const asked: Asked[] = [];
  /** What was put for a branch of the provider. */
  const branches: string[] = [];

  function forVerification(query: Asked): object {
    asked.push(query);
    const notices = [{ when: 'before_verification', text: `The token ${token} is about to expire\x1b[2J` }];
    const verificationProperties = { pending: query.includePendingStatus === true, notices };
    const all = pacts.map((_pact, at) => {
      return { shortDescription: 'main', verificationProperties, _links: hrefs({ self: `/pacts/${at}` }) };
    });
    return { _embedded: { pacts: all }, _links: hrefs({ self: list }) };
  }

  /** Status and body by method and path. */
  function answer(line: string, body: unknown): readonly [number, object] {
    if (line === 'GET /') return [200, { _links: hrefs({ 'pb:provider-pacts-for-verification': list }) }];
    if (line.endsWith(` ${list}`)) return [200, forVerification(body as Asked)];
    if (line.startsWith('PUT ')) branches.push(line.slice('PUT '.length));
    if (line.endsWith('/pacticipants/pet-store')) {
      return [200, { _links: hrefs({ 'pb:branch-version': '/branches/{branch}/versions/{version}' }) }];
    }
    const [, at = '', isResult] = /^\w+ \/pacts\/(\d+)(\/results)?$/.exec(line) ?? [];
    if (isResult !== undefined) {
      if ((body as Result).providerApplicationVersion === 'refused') return [422, {}];
      results.push(body as Result);
    }
    const pact = pacts[Number(at || Number.NaN)];
    if (pact === undefined || isResult !== undefined) return [201, {}];
    const interactions = pact.interactions.map((one, index) => ({ _id: `id-${index}`, ...one }));
    const publishing = { 'pb:publish-verification-results': `/pacts/${at}/results` };
    const links = hrefs({ ...publishing, 'pb:provider': '/pacticipants/pet-store' });
    return [200, { ...pact, interactions, _links: links }];
  }

  const server = createServer(async (incoming, outgoing) => {
    const known = [`Bearer ${token}`, `Basic ${Buffer.from(`reader:${token}`).toString('base64')}`];
    const isKnown = known.includes(incoming.headers.authorization ?? '');
    const body = await json(incoming).catch(() => ({}));
    const [status, document] = isKnown ? answer(`${incoming.method} ${incoming.url}`, body) : [401, {}];
    outgoing.writeHead(status, { 'content-type': 'application/hal+json' }).end(JSON.stringify(document));
  });
  return { url: `http://127.0.0.1:${await listening(server)}`, results, asked, branches };
}
