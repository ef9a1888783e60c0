/**
 * A server that speaks the HAL of a Pact Broker for the calls of a verification: publish a pact with its branch, pacts
 * for verification by selector, with pending, work in progress and notices, verification results with version, branch and
 * tags, and the matrix of can-i-deploy.
 */

import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Published {
  readonly consumer: string;
  readonly version: string;
  readonly branch: string;
  readonly createdAt: string;
  readonly pact: object;
}

interface Result {
  readonly consumer: string;
  readonly consumerVersion: string;
  readonly success: boolean;
  readonly providerApplicationVersion: string;
  readonly testResults: readonly { readonly interactionId?: string; readonly success?: boolean }[];
}

/** `deployable` is null while no version was verified. */
export interface MatrixSummary {
  readonly deployable: boolean | null;
  readonly reason: string;
}

interface Query {
  readonly consumerVersionSelectors?: readonly {
    readonly mainBranch?: true;
    readonly branch?: string;
    readonly consumer?: string;
  }[];
  readonly includePendingStatus?: boolean;
  readonly includeWipPactsSince?: string;
  readonly providerVersionBranch?: string;
}

export interface TestBroker {
  readonly url: string;
  /** Publishes as a consumer's build does, over HTTP. */
  readonly publish: (pact: object, version: { readonly version: string; readonly branch: string }) => Promise<void>;
  readonly results: readonly Result[];
  /** Branch → versions of the provider. */
  readonly branches: ReadonlyMap<string, readonly string[]>;
  /** Tag → versions of the provider. */
  readonly tags: ReadonlyMap<string, readonly string[]>;
  /** The matrix of a version of a consumer and a version of the provider, as can-i-deploy asks for it over HTTP. */
  readonly canIDeploy: (consumer: string, version: string, providerVersion: string) => Promise<MatrixSummary>;
  /** can-i-deploy: whether the last pact of a consumer is verified by a version. */
  readonly canDeploy: (consumer: string, providerVersion: string) => boolean;
  /** The warnings of can-i-deploy: descriptions of the interactions that the last result has no test for. */
  readonly unknown: (consumer: string) => readonly string[];
  readonly close: () => void;
}

async function jsonOf(incoming: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

/** Gives each interaction an id, as a broker does. */
function withIds(pact: object): { readonly interactions: readonly { _id: string; description: string }[] } {
  const { interactions } = pact as { interactions: { description: string }[] };
  return { ...pact, interactions: interactions.map((one, at) => ({ _id: `id-${at}`, ...one })) };
}

/**
 * The pacts for a query: those of its selectors (the main branch by default) and, as work in progress, those of other
 * branches since a day.
 */
function select(all: readonly Published[], query: Query) {
  const fits = (one: Published): boolean =>
    (query.consumerVersionSelectors ?? [{ mainBranch: true }]).some(
      ({ mainBranch, branch, consumer }) =>
        (consumer === undefined || consumer === one.consumer) &&
        (mainBranch === undefined || one.branch === 'main') &&
        (branch === undefined || one.branch === branch),
    );
  const isInProgress = (one: Published): boolean =>
    query.includeWipPactsSince !== undefined && one.createdAt >= query.includeWipPactsSince && !fits(one);
  return all.flatMap((one) => {
    if (fits(one)) return [{ one, isWip: false }];
    return isInProgress(one) ? [{ one, isWip: true }] : [];
  });
}

export async function startBroker(token: string): Promise<TestBroker> {
  const published: Published[] = [];
  const results: Result[] = [];
  const branches = new Map<string, string[]>();
  const tags = new Map<string, string[]>();
  let url = '';

  function hrefs(links: Readonly<Record<string, string>>): object {
    return Object.fromEntries(
      Object.entries(links).map(([name, path]) => [name, { href: url + path, templated: path.includes('{') }]),
    );
  }

  function forVerification(query: Query): object {
    const pacts = select(published, query).map(({ one, isWip }) => {
      const isVerified = results.some(({ consumer, success }) => consumer === one.consumer && success);
      const pending = isWip || (query.includePendingStatus === true && !isVerified);
      return {
        shortDescription: `latest of ${one.branch}`,
        verificationProperties: { pending, ...(isWip ? { wip: true } : {}), notices: noticesOn(one) },
        _links: { self: { href: `${url}/pacts/${published.indexOf(one)}`, name: `${one.consumer} ${one.version}` } },
      };
    });
    return { _embedded: { pacts }, _links: hrefs({ self: '/pacts/provider/pet-store/for-verification' }) };
  }

  function noticesOn(one: Published): readonly object[] {
    return [
      { when: 'before_verification', text: `The pact at ${url}/pacts/${published.indexOf(one)} is being verified` },
      { when: 'before_verification', text: `The token ${token} is about to expire\x1b[2J` },
      { when: 'after_verification:success_true_published_true', text: 'The result was published with success.' },
      { when: 'after_verification:success_false_published_true', text: 'The result was published with failure.' },
    ];
  }

  /** The rows of `GET /matrix?q[][pacticipant]=…&q[][version]=…`: the last result of each consumer version. */
  function matrix(query: URLSearchParams): object {
    const [consumer, provider] = query.getAll('q[][pacticipant]');
    const [consumerVersion, providerVersion] = query.getAll('q[][version]');
    const last = results.findLast(
      (one) =>
        one.consumer === consumer &&
        one.consumerVersion === consumerVersion &&
        one.providerApplicationVersion === providerVersion,
    );
    const row = {
      consumer: { name: consumer, version: { number: consumerVersion } },
      provider: { name: provider, version: last === undefined ? null : { number: providerVersion } },
      verificationResult: last === undefined ? null : { success: last.success },
    };
    const deployable = last?.success ?? null;
    const reason = deployable === null ? 'no verified pact between these versions' : `verified: ${deployable}`;
    return { summary: { deployable, reason, success: deployable ? 1 : 0 }, matrix: [row] };
  }

  /** Status and body by method and path. */
  function answer(method: string, path: string, body: unknown): readonly [number, object] {
    if (path.startsWith('/matrix?')) return [200, matrix(new URLSearchParams(path.slice('/matrix?'.length)))];
    if (path === '/') {
      return [
        200,
        { _links: hrefs({ 'pb:provider-pacts-for-verification': '/pacts/provider/{provider}/for-verification' }) },
      ];
    }
    const publication = /^\/pacts\/provider\/pet-store\/consumer\/([^/]+)\/version\/([^/]+)\/branch\/([^/]+)$/.exec(
      path,
    );
    if (method === 'PUT' && publication !== null) {
      const [, consumer = '', version = '', branch = ''] = publication;
      published.push({ consumer, version, branch, createdAt: '2026-11-20', pact: body as object });
      return [201, {}];
    }
    if (path === '/pacts/provider/pet-store/for-verification') return [200, forVerification((body ?? {}) as Query)];
    const one = published[Number(/^\/pacts\/(\d+)$/.exec(path)?.[1] ?? Number.NaN)];
    if (one !== undefined) {
      const links = { 'pb:publish-verification-results': `${path}/results`, 'pb:provider': '/pacticipants/pet-store' };
      return [200, { ...withIds(one.pact), _links: hrefs(links) }];
    }
    const result = /^\/pacts\/(\d+)\/results$/.exec(path);
    if (method === 'POST' && result !== null) {
      if ((body as Result).providerApplicationVersion === 'refused') return [422, {}];
      const { consumer, version: consumerVersion } = published[Number(result[1])]!;
      results.push({ ...(body as Result), consumer, consumerVersion });
      return [201, {}];
    }
    if (path === '/pacticipants/pet-store') {
      const ofVersions = {
        'pb:branch-version': `${path}/branches/{branch}/versions/{version}`,
        'pb:version-tag': `${path}/versions/{version}/tags/{tag}`,
      };
      return [200, { name: 'pet-store', _links: hrefs(ofVersions) }];
    }
    const [, branch, version] = /^\/pacticipants\/pet-store\/branches\/([^/]+)\/versions\/([^/]+)$/.exec(path) ?? [];
    if (method === 'PUT' && branch !== undefined && version !== undefined) {
      branches.set(branch, [...(branches.get(branch) ?? []), version]);
      return [201, {}];
    }
    const [, tagged, tag] = /^\/pacticipants\/pet-store\/versions\/([^/]+)\/tags\/([^/]+)$/.exec(path) ?? [];
    if (method === 'PUT' && tagged !== undefined && tag !== undefined) {
      tags.set(tag, [...(tags.get(tag) ?? []), tagged]);
      return [201, {}];
    }
    return [404, {}];
  }

  const server = createServer(async (incoming, outgoing) => {
    const isKnown = incoming.headers.authorization === `Bearer ${token}`;
    const body = await jsonOf(incoming);
    const [status, document] = isKnown ? answer(incoming.method ?? '', incoming.url ?? '', body) : [401, {}];
    outgoing.writeHead(status, { 'content-type': 'application/hal+json' }).end(JSON.stringify(document));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    results,
    branches,
    tags,
    canIDeploy: async (consumer, consumerVersion, providerVersion) => {
      const query = new URLSearchParams([
        ['q[][pacticipant]', consumer],
        ['q[][version]', consumerVersion],
        ['q[][pacticipant]', 'pet-store'],
        ['q[][version]', providerVersion],
        ['latestby', 'cvpv'],
      ]);
      const answer = await fetch(`${url}/matrix?${query}`, { headers: { authorization: `Bearer ${token}` } });
      return ((await answer.json()) as { summary: MatrixSummary }).summary;
    },
    publish: async (pact, { version, branch }) => {
      const { name } = (pact as { consumer: { name: string } }).consumer;
      await fetch(`${url}/pacts/provider/pet-store/consumer/${name}/version/${version}/branch/${branch}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(pact),
      });
    },
    canDeploy: (consumer, providerVersion) =>
      results.findLast((one) => one.consumer === consumer && one.providerApplicationVersion === providerVersion)
        ?.success === true,
    unknown: (consumer) => {
      const tested = results.findLast((one) => one.consumer === consumer)?.testResults ?? [];
      const { interactions } = withIds(published.findLast((one) => one.consumer === consumer)!.pact);
      const isTested = (id: string): boolean => tested.some(({ interactionId }) => interactionId === id);
      return interactions.filter(({ _id }) => !isTested(_id)).map(({ description }) => description);
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
