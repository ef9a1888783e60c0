/** Distinguishes the failures of a forward proxy from those of the target behind it. */

const proxyVariables = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'] as const;

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
    const status = /HTTP\/1\.[01] \d{3}[^\r\n]{0,60}/.exec(message)?.[0].trim();
    const answer = status === undefined ? 'the proxy closed the connection' : `the proxy answered "${status}"`;
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
