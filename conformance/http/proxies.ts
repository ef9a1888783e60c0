/** Forward proxies: reads them from the environment, and distinguishes their failures from the target's. */

const proxyVariables = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy'] as const;

function isUsable(address: string): boolean {
  const { protocol, username, password } = URL.parse(address) ?? {};
  // Node decodes them, and breaks where it cannot.
  return /^https?:$/.test(protocol ?? '') && !/%(?![\da-f]{2})/i.test(`${username}${password}`);
}

/** The environment with proxies as Node reads them; the name of a variable whose proxy cannot be used. */
export function readProxies(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv | (typeof proxyVariables)[number] {
  // Node passes by a proxy whose address has no scheme; curl takes it for one of HTTP.
  const proxies = proxyVariables.flatMap((name) => {
    const text = environment[name];
    return text ? [[name, text.includes('://') ? text : `http://${text}`] as const] : [];
  });
  const unusable = proxies.find(([, address]) => !isUsable(address));
  return unusable?.[0] ?? { ...environment, ...Object.fromEntries(proxies) };
}

/** Describes an error of a proxy; undefined if the error is not one. `message` is that of node:http. */
export function describeProxyError(
  code: string,
  message: string,
  url: string,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const target = new URL(url);
  if (code === 'ERR_PROXY_TUNNEL') {
    const ms = /timed out after (\d+)/.exec(message)?.[1];
    const status = /HTTP\/1\.[01] \d{3}[^\r\n]{0,60}/.exec(message)?.[0].trim();
    const silence = ms === undefined ? 'closed the connection' : `gave no answer within ${ms} ms`;
    const answer = status === undefined ? silence : `answered "${status}"`;
    return `the proxy ${answer} when it was asked to connect to ${target.host}`;
  }
  for (const name of proxyVariables) {
    const { protocol, host, hostname, port } = URL.parse(environment[name] ?? '') ?? {};
    // The message ends with the address that was tried.
    const address = `:${port || (protocol === 'https:' ? 443 : 80)}`;
    const isTried = message.endsWith(`${code} ${hostname}`) || (message.endsWith(address) && host !== target.host);
    if (host !== undefined && isTried) return `the proxy ${host} of ${name} cannot be reached: ${code}`;
  }
  return undefined;
}
