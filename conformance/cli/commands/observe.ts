/** `observe HAR…|BASE_URL`: judges recorded traffic, or relays traffic to a service and judges it on the way. */

import { readBaseUrl } from '../../options/readers.ts';
import { UsageError } from '../../run/usage-error.ts';
import type { Invocation } from '../configuration.ts';
import type { Host } from '../host.ts';

export async function observe({ values, words }: Invocation<'observe'>, host: Host): Promise<number> {
  const addresses = words.filter((word) => /^https?:/i.test(word));
  if (addresses.length === 0) return (await import('../observe-archives.ts')).observeArchives(words, values, host);
  const [address = ''] = addresses;
  if (words.length > 1) throw new UsageError('observe takes one base address, or archives: give one or the other.');
  const baseUrl = readBaseUrl(address, 'The base address');
  return (await import('../observe-address.ts')).observeAddress(baseUrl, values, host);
}
