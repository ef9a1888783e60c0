/** Forward proxies: reads them from the environment, and distinguishes their failures from the target's. */

const proxyVariables = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'] as const;

function isUsable(address: string): boolean {
  const { protocol, username, password } = URL.parse(address) ?? {};
  // Node decodes them, and breaks where it cannot.
  return /^https?:$/.test(protocol ?? '') && !/%(?![\da-f]{2})/i.test(`${username}${password}`);
}

/** The environment with proxies as Node reads them; the name of a variable whose proxy cannot be used. */
export function readProxies(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv | (typeof proxyVariables)[number] {
  const proxies = { ...environment };
  for (const name of proxyVariables) {
    const text = environment[name];
    if (!text) continue;
    // Node passes by a proxy whose address has no scheme; curl takes it for one of HTTP.
    const address = text.includes('://') ? text : `http://${text}`;
    if (!isUsable(address)) return name;
    proxies[name] = address;
  }
  return proxies;
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}

/** Describes an error of a proxy; undefined if the error is not one. `message` is that of node:http. */
export function describeProxyError(
  code: string,
  message: string,
  url: string,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  if (code === 'ERR_PROXY_TUNNEL') {
    const ms = /timed out after (\d+)/.exec(message)?.[1];
    const status = /HTTP\/1\.[01] \d{3}[^\r\n]{0,60}/.exec(message)?.[0].trim();
    const silence = ms === undefined ? 'closed the connection' : `gave no answer within ${ms} ms`;
    const answer = `the proxy ${status === undefined ? silence : `answered "${status}"`}`;
    return `${answer} when it was asked to connect to ${new URL(url).host}`;
  }
  const [, , host = '', port = ''] =
    /(connect|getaddrinfo) [A-Z_]+ ([^\s:]+|\S+(?=:\d+$))(?::(\d+))?$/.exec(message) ?? [];
  const target = new URL(url);
  for (const name of proxyVariables) {
    const address = environment[name] ?? '';
    if (!URL.canParse(address)) continue;
    const proxy = new URL(address);
    const isProxy = port === '' ? host === proxy.hostname : port === portOf(proxy) && port !== portOf(target);
    if (isProxy) return `the proxy ${proxy.host} of ${name} cannot be reached: ${code}`;
  }
  return undefined;
}
