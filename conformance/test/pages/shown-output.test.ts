/** What pages show as output is what the kit says, but for numbers that are drawn. */

import { rmSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ServerFault, startServer } from '../../../reference-server/twin/index.ts';
import { judge } from '../../library/judge.ts';
import { reporters } from '../../reporters/index.ts';
import { run, temporaryFolder } from '../cli/command.ts';
import { blocks } from './blocks.ts';

/** As the page says: a 404 says 400 in its body. */
const fault: ServerFault = {
  id: 'not-found-says-400',
  breaks: ['error-status-equals'],
  wrap: (handle) => (request, now) => {
    const answer = handle(request, now);
    return answer.status === 404 ? { ...answer, body: answer.body.replace('"status":404', '"status":400') } : answer;
  },
};

async function judgeOneFault(): Promise<string> {
  const server = await startServer({ faults: [fault] });
  const report = await judge({ baseUrl: server.url, apiKey: server.key, maxRequests: 60, seed: 1126643632 });
  await server.close();
  return reporters.terminal(report);
}

/** Numbers that are drawn, or of the day, are of no matter; those of requirements are. */
function withoutDrawn(line: string): string {
  return line
    .replaceAll('\u00a0', ' ')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/\/pets\/-?\d+/g, '/pets/ID')
    .replaceAll(/(remaining|reset|seed):? \d+/g, '$1 N')
    .replaceAll(/\d+ creations, [\d.]+ s/g, 'N creations, N s')
    .replace(/#\d+/, '#N');
}

/** Every line that a page shows is among what is said, in the same order. */
function assertShown(page: string, output: string): void {
  const [shown] = blocks.filter((block) => block.page === page && block.language === '');
  const lines = shown!.code.trimEnd().split('\n');
  const said = output.split('\n').map(withoutDrawn);
  let from = 0;
  for (const line of lines.filter((one) => one !== '…').map(withoutDrawn)) {
    const at = said.indexOf(line, from);
    assert.ok(at >= from, `${line}\nis not in\n${said.join('\n')}`);
    from = at + 1;
  }
}

test('the output in README.md is what the kit prints', async () => {
  assertShown('README.md', await judgeOneFault());
});

/** Fails if its animals are listed in reverse order, which hardly happens by chance. */
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

test('the output in reference-server/README.md is what the kit prints', async () => {
  const folder = temporaryFolder();
  const command = ['--', process.execPath, '--input-type=module', '-e', client];
  const options = ['--only', 'list-order', '--output', 'printed', '--concurrency', '2'];
  const { code, stdout } = await run(['client', ...options, ...command], {}, folder);
  rmSync(folder, { recursive: true });
  assert.is(code, 1, stdout);
  assertShown('reference-server/README.md', stdout);
});

test.run();
