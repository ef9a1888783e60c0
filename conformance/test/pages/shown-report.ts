/** The report that the README at the top shows; `npm run generate` writes it there, so it is what the kit prints. */

import { runInProcess, trialSettings } from '../../proof/trial.ts';
import { handleOf } from '../../proof/variants/index.ts';
import { reporters } from '../../reporters/index.ts';
import type { Report } from '../../verdict/report.ts';

/** The rows of sections for which the page has an ellipsis, since their marks show nothing new. */
const leftOut = /^(§(4\.\d|5) .*\n)+/m;

/** The run on a server whose 404 says 400 in its body. */
export async function runForReadme(): Promise<Report> {
  const handle = handleOf({ id: 'shown-in-readme' });
  const settings = trialSettings(60, { baseUrl: 'https://staging.example.com/v1', hasRateLimitKey: false, seed: 42 });
  const report = await runInProcess((request, now) => {
    const answer = handle(request, now);
    return answer.status === 404 ? { ...answer, body: answer.body.replace('"status":404', '"status":400') } : answer;
  }, settings);
  return { ...report, durationMs: 300 };
}

/** The text that the README shows of this run. */
export async function shownReport(): Promise<string> {
  const text = reporters.terminal(await runForReadme()).replaceAll('\u00a0', ' ');
  return text.replace(leftOut, '…\n').trimEnd();
}
