/**
 * A server that speaks the HAL of a Pact Broker for the calls of a verification: publish a pact with its branch, pacts for
 * verification by selector, with pending and notices, and verification results with version and branch.
 */

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Outgoing } from '../../conformance/http/transport.ts';
import type { Broker } from '../verify/broker.ts';

interface Published {
  readonly consumer: string;
  readonly version: string;
  readonly branch: string;
  readonly interactions: readonly { readonly _id: string; readonly description: string }[];
}

interface Result {
  readonly consumer: string;
  readonly success: boolean;
  readonly providerApplicationVersion: string;
  readonly testResults: readonly { readonly interactionId?: string; readonly success?: boolean }[];
}

interface Query {
  readonly consumerVersionSelectors?: readonly {
    readonly mainBranch?: true;
    readonly branch?: string;
    readonly consumer?: string;
  }[];
  readonly includePendingStatus?: boolean;
}

async function jsonOf(incoming: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

function select(all: readonly Published[], { consumerVersionSelectors = [] }: Query): readonly Published[] {
  return all.filter((one) =>
    consumerVersionSelectors.some(
      ({ mainBranch, branch, consumer }) =>
        (consumer === undefined || consumer === one.consumer) &&
        ((mainBranch === true && one.branch === 'main') || branch === one.branch),
    ),
  );
}

/** A broker that answers each request with a text, for a relay. */
export function brokerOf(answer: (request: Outgoing) => string, more: Partial<Broker> = {}): Broker {
  return {
    url: 'http://127.0.0.1/team/',
    provider: 'pet-store',
    pactUrls: [],
    selectors: [],
    isPendingEnabled: false,
    publishes: true,
    onNotice: () => undefined,
    transport: (request) =>
      Promise.resolve({ status: 200, headers: {}, body: new TextEncoder().encode(answer(request)) }),
    ...more,
  };
}

/** `publish` takes a pact as a consumer's build does, over HTTP. */
export async function startBroker(token: string) {
  const published: Published[] = [];
  const results: Result[] = [];
  const branches = new Map<string, readonly string[]>();
  let url = '';

  /** Links with an internal host, as a broker behind a proxy may have. */
  const hrefs = (links: Readonly<Record<string, string>>): object =>
    Object.fromEntries(
      Object.entries(links).map(([name, path]) => [name, { href: `http://internal:9292${path}`, name: path }]),
    );

  function forVerification(query: Query): object {
    const notices = [{ when: 'before_verification', text: `The token ${token} is about to expire\x1b[2J` }];
    const pacts = select(published, query).map((one) => {
      const isVerified = results.some(({ consumer, success }) => consumer === one.consumer && success);
      const pending = query.includePendingStatus === true && !isVerified;
      const links = hrefs({ self: `/pacts/${published.indexOf(one)}` });
      return { shortDescription: one.branch, verificationProperties: { pending, notices }, _links: links };
    });
    return { _embedded: { pacts }, _links: hrefs({ self: '/pacts/provider/pet-store/for-verification' }) };
  }

  /** Status and body by method and path. */
  function answer(method: string, path: string, body: unknown): readonly [number, object] {
    const list = '/pacts/provider/pet-store/for-verification';
    if (path === '/') return [200, { _links: hrefs({ 'pb:provider-pacts-for-verification': list }) }];
    if (path === list) return [200, forVerification((body ?? {}) as Query)];
    const [, consumer = '', version = '', branch = ''] =
      /^\/pacts\/provider\/pet-store\/consumer\/([^/]+)\/version\/([^/]+)\/branch\/([^/]+)$/.exec(path) ?? [];
    if (method === 'PUT' && branch !== '') {
      const { interactions } = body as { interactions: { description: string }[] };
      const withIds = interactions.map((one, at) => ({ _id: `id-${at}`, ...one }));
      published.push({ ...(body as object), consumer, version, branch, interactions: withIds });
      return [201, {}];
    }
    const [, at, isResult] = /^\/pacts\/(\d+)(\/results)?$/.exec(path) ?? [];
    const one = published[Number(at ?? Number.NaN)];
    if (one !== undefined && isResult !== undefined) {
      if ((body as Result).providerApplicationVersion === 'refused') return [422, {}];
      results.push({ ...(body as Result), consumer: one.consumer });
      return [201, {}];
    }
    if (one !== undefined) {
      const links = { 'pb:publish-verification-results': `${path}/results`, 'pb:provider': '/pacticipants/pet-store' };
      return [200, { ...one, consumer: { name: one.consumer }, _links: hrefs(links) }];
    }
    if (path === '/pacticipants/pet-store') {
      return [200, { _links: hrefs({ 'pb:branch-version': `${path}/branches/{branch}/versions/{version}` }) }];
    }
    const [, named = '', ofBranch] = /\/branches\/([^/]+)\/versions\/([^/]+)$/.exec(path) ?? [];
    if (ofBranch === undefined) return [404, {}];
    branches.set(named, [...(branches.get(named) ?? []), ofBranch]);
    return [201, {}];
  }

  const server = createServer(async (incoming, outgoing) => {
    const isKnown = incoming.headers.authorization === `Bearer ${token}`;
    const body = await jsonOf(incoming);
    const [status, document] = isKnown ? answer(incoming.method ?? '', incoming.url ?? '', body) : [401, {}];
    outgoing.writeHead(status, { 'content-type': 'application/hal+json' }).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const lastOf = (consumer: string): Result | undefined => results.findLast((one) => one.consumer === consumer);
  return {
    url,
    results: results as readonly Result[],
    /** Branch → versions of the provider. */
    branches: branches as ReadonlyMap<string, readonly string[]>,
    async publish(pact: object, { version, branch }: { readonly version: string; readonly branch: string }) {
      const { name } = (pact as { consumer: { name: string } }).consumer;
      await fetch(`${url}/pacts/provider/pet-store/consumer/${name}/version/${version}/branch/${branch}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(pact),
      });
    },
    /** can-i-deploy: whether the last pact of a consumer is verified by a version; undefined if no version was verified. */
    canDeploy: (consumer: string, providerVersion: string): boolean | undefined => {
      const last = lastOf(consumer);
      return last?.providerApplicationVersion === providerVersion ? last.success : undefined;
    },
    /** The warnings of can-i-deploy: descriptions of the interactions that the last result has no test for. */
    unknown(consumer: string): readonly string[] {
      const tested = lastOf(consumer)?.testResults ?? [];
      const { interactions = [] } = published.findLast((one) => one.consumer === consumer) ?? {};
      const isTested = (id: string): boolean => tested.some(({ interactionId }) => interactionId === id);
      return interactions.filter(({ _id }) => !isTested(_id)).map(({ description }) => description);
    },
    close(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
