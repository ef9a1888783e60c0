/** What README.md shows of `run` and `client`: their output up to the line that repeats the first failure. */

import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runInProcess, trialSettings } from '../../proof/trial.ts';
import { reporters } from '../../reporters/index.ts';
import { handleOf } from '../../services/index.ts';
import type { Report } from '../../verdict/report.ts';
import { run, temporaryFolder } from '../cli/command.ts';

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

/** A client that fails if its animals are listed in reverse order, which hardly happens by chance. */
const client = `const { PETSTORE_BASE_URL, PETSTORE_API_KEY, PETSTORE_CATEGORY_ID } = process.env;
const headers = { authorization: 'Bearer ' + PETSTORE_API_KEY, 'content-type': 'application/json' };
const ask = async (init) => (await fetch(PETSTORE_BASE_URL + '/pets', { headers, ...init })).json();
const names = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'J'];
for (const name of names) {
  await ask({ method: 'POST', body: '{"name":"' + name + '","categoryId":' + PETSTORE_CATEGORY_ID + '}' });
}
const listed = (await ask({})).map(({ name }) => name).filter((name) => names.includes(name));
process.exit(listed.toReversed().join() === names.join() ? 1 : 0);
`;

/** The output of `client -- npm test`, whose tests are that client. */
async function runClient(): Promise<string> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'client.mjs'), client);
  const npm = `#!/bin/sh\nexec "${process.execPath}" "${join(folder, 'client.mjs')}"\n`;
  writeFileSync(join(folder, 'npm'), npm, { mode: 0o755 });
  const words = ['client', '--differs-in', 'list-order', '--output', 'printed', '--', 'npm', 'test'];
  const PATH = [folder, process.env['PATH']].join(delimiter);
  return (await run(words, { PATH }, { cwd: folder })).stdout;
}

function untilRepeated(output: string): string {
  const text = output.replaceAll('\u00a0', ' ');
  return (/^[\s\S]*?\n {3}(curl|petstore-server) (.*\\\n)*.*/.exec(text)?.[0] ?? text).trimEnd();
}

/** Name of the block in README.md → what it shows. */
export const shownOutputs: Readonly<Record<string, () => Promise<string>>> = {
  run: async () => untilRepeated(reporters.terminal(await runForReadme())),
  // Its services run by the clock of the machine.
  client: async () => untilRepeated((await runClient()).replaceAll(/(?<=x-ratelimit-reset: )\d+/g, '1795478280')),
};

/** A text without the numbers that are random or depend on the day. */
export function withoutDrawn(text: string): string {
  return text
    .replaceAll(/\/pets\/-?\d+/g, '/pets/ID')
    .replaceAll(/(remaining|reset):? \d+/g, '$1 N')
    .replaceAll(/#\d+/g, '#N')
    .replaceAll(/printed\/\d+/g, 'printed/N')
    .replaceAll(/"id": ?\d+/g, '"id": N');
}
