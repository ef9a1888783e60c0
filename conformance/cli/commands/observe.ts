/** `observe HAR…|BASE_URL`: judges recorded traffic by the judges of a run, or relays traffic and judges it on the way. */

import { readBaseUrl } from '../../options/readers.ts';
import { withReferenceAnswers } from '../../run/reference-answers.ts';
import { UsageError } from '../../run/usage-error.ts';
import { type Archive, findBaseUrl, parseArchive, readArchives } from '../../traffic/archive.ts';
import type { CapturedExchange } from '../../traffic/captured-exchange.ts';
import type { Invocation } from '../configuration.ts';
import { readText } from '../files.ts';
import type { Host } from '../host.ts';
import { checkOutputs, writeOutputs } from '../outputs.ts';
import { judgeCaptured } from '../traffic.ts';

const largestArchive = 256 * 1024 * 1024;

export async function readArchive(file: string): Promise<Archive> {
  return parseArchive(await readText(file, { what: 'The archive', largest: largestArchive }), file);
}

function showRead(archives: readonly Archive[], seen: readonly CapturedExchange[]): void {
  const leftOut = archives.flat().length - seen.length;
  const bodiless = seen.filter(({ response }) => response !== undefined && response.body === undefined).length;
  const remarks = [
    leftOut > 0 && `Left out: ${leftOut} to other addresses, or without the headers or the body of the request.`,
    bodiless > 0 && `The body of the response is missing in ${bodiless}.`,
    seen.some((one) => one.isCleaned) &&
      'An archive shows no key: browsers leave keys out unless they export sensitive data.',
  ];
  process.stderr.write(`${[`${seen.length} recorded exchanges.`, ...remarks].filter(Boolean).join(' ')}\n`);
}

export async function observe({ values, words }: Invocation<'observe'>, host: Host): Promise<number> {
  const [address] = words.filter((word) => /^https?:/i.test(word));
  if (address !== undefined) {
    if (words.length > 1) throw new UsageError('observe takes one base address, or archives: give one or the other.');
    const { observeAddress } = await import('../observe-address.ts');
    return observeAddress(readBaseUrl(address, 'The base address'), values, host);
  }
  await checkOutputs(values);
  const archives = await Promise.all(words.map(readArchive));
  const baseUrl = values.baseUrl ?? readBaseUrl(findBaseUrl(archives), 'The base address of the archives');
  const seen = readArchives(archives, baseUrl);
  showRead(archives, seen);
  const report = await withReferenceAnswers(judgeCaptured(seen, values, baseUrl));
  await writeOutputs(report, values);
  return report.exitCode;
}
