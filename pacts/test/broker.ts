/**
 * A server that speaks the HAL of a Pact Broker for the calls of a verification: publish a pact with its branch, pacts for
 * verification by selector, with pending, and verification results with version and branch.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface Published {
  readonly consumer: string;
  readonly branch: string;
  readonly interactions: readonly { readonly _id: string; readonly description: string }[];
}

interface Result {
  readonly consumer: string;
  readonly success: boolean;
  readonly providerApplicationVersion: string;
  readonly testResults: readonly { readonly interactionId?: string }[];
}

type Selector = Readonly<{ mainBranch?: true; branch?: string; consumer?: string }>;

interface Query {
  readonly consumerVersionSelectors?: readonly Selector[];
  readonly includePendingStatus?: boolean;
}

/** Links with an internal host, as a broker behind a proxy may have. */
function hrefs(links: Readonly<Record<string, string>>): object {
  const all = Object.entries(links).map(([name, path]) => [name, { href: `http://internal:9292${path}`, name: path }]);
  return Object.fromEntries(all);
}

/** `publish` takes a pact as a consumer's build does, over HTTP. */
export async function startBroker(token: string) {
  const published: Published[] = [];
  const results: Result[] = [];
  /** Branch → version of the provider. */
  const branches = new Map<string, string>();
  const lastOf = (consumer: string): Result | undefined => results.findLast((one) => one.consumer === consumer);

  function forVerification({ consumerVersionSelectors = [], includePendingStatus }: Query): object {
    const notices = [{ when: 'before_verification', text: `The token ${token} is about to expire\x1b[2J` }];
    const isSelected = (one: Published) => (selector: Selector) =>
      (selector.consumer ?? one.consumer) === one.consumer &&
      (selector.branch ?? (selector.mainBranch ? 'main' : undefined)) === one.branch;
    const pacts = published
      .filter((one) => consumerVersionSelectors.some(isSelected(one)))
      .map((one) => {
        const isVerified = results.some(({ consumer, success }) => consumer === one.consumer && success);
        const verificationProperties = { pending: includePendingStatus === true && !isVerified, notices };
        return {
          shortDescription: one.branch,
          verificationProperties,
          _links: hrefs({ self: `/pacts/${published.indexOf(one)}` }),
        };
      });
    return { _embedded: { pacts }, _links: hrefs({ self: '/pacts/provider/pet-store/for-verification' }) };
  }

  /** Status and body by method and path. */
  function answer(line: string, body: unknown): readonly [number, object] {
    const list = '/pacts/provider/pet-store/for-verification';
    if (line === 'GET /') return [200, { _links: hrefs({ 'pb:provider-pacts-for-verification': list }) }];
    if (line.endsWith(` ${list}`)) return [200, forVerification((body ?? {}) as Query)];
    const [, consumer = '', branch] = /^PUT \/publish\/([^/]+)\/([^/]+)$/.exec(line) ?? [];
    if (branch !== undefined) {
      const { interactions } = body as { interactions: { description: string }[] };
      const withIds = interactions.map((one, at) => ({ _id: `id-${at}`, ...one }));
      published.push({ ...(body as object), consumer, branch, interactions: withIds });
      return [201, {}];
    }
    const [, named, version = ''] = /^PUT .*\/branches\/([^/]+)\/versions\/([^/]+)$/.exec(line) ?? [];
    if (named !== undefined) branches.set(named, version);
    const [, at, isResult] = /^\w+ \/pacts\/(\d+)(\/results)?$/.exec(line) ?? [];
    const one = published[Number(at ?? Number.NaN)];
    if (one !== undefined && isResult !== undefined) {
      if ((body as Result).providerApplicationVersion === 'refused') return [422, {}];
      results.push({ ...(body as Result), consumer: one.consumer });
    } else if (one !== undefined) {
      const links = {
        'pb:publish-verification-results': `/pacts/${at}/results`,
        'pb:provider': '/pacticipants/pet-store',
      };
      return [200, { ...one, consumer: { name: one.consumer }, _links: hrefs(links) }];
    }
    const ofBranch = '/pacticipants/pet-store/branches/{branch}/versions/{version}';
    return line.endsWith('/pacticipants/pet-store')
      ? [200, { _links: hrefs({ 'pb:branch-version': ofBranch }) }]
      : [201, {}];
  }

  const server = createServer(async (incoming, outgoing) => {
    const isKnown = incoming.headers.authorization === `Bearer ${token}`;
    const body = await json(incoming).catch(() => undefined);
    const [status, document] = isKnown ? answer(`${incoming.method} ${incoming.url}`, body) : [401, {}];
    outgoing.writeHead(status, { 'content-type': 'application/hal+json' }).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    results: results as readonly Result[],
    branches: branches as ReadonlyMap<string, string>,
    async publish(pact: object, branch = 'main') {
      const { name } = (pact as { consumer: { name: string } }).consumer;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      await fetch(`${url}/publish/${name}/${branch}`, { method: 'PUT', headers, body: JSON.stringify(pact) });
    },
    /** can-i-deploy: whether the last pact of a consumer is verified by a version; undefined if no version was verified. */
    canDeploy: (consumer: string, version: string): boolean | undefined => {
      const last = lastOf(consumer);
      return last?.providerApplicationVersion === version ? last.success : undefined;
    },
    /** The warnings of can-i-deploy: descriptions of the interactions that the last result has no test for. */
    unknown(consumer: string): readonly string[] {
      const tested = lastOf(consumer)?.testResults.map(({ interactionId }) => interactionId) ?? [];
      const { interactions = [] } = published.findLast((one) => one.consumer === consumer) ?? {};
      return interactions.filter(({ _id }) => !tested.includes(_id)).map(({ description }) => description);
    },
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
