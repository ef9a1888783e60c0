/** The output that pages show is what the kit prints, except for random numbers. */

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { run, temporaryFolder } from '../cli/command.ts';
import { blocks } from './blocks.ts';
import { shownReport } from './shown-report.ts';

/** Hides numbers that are random or depend on the day, and keeps those of requirements. */
function withoutDrawn(line: string): string {
  return line
    .replaceAll('\u00a0', ' ')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/\/pets\/-?\d+/g, '/pets/ID')
    .replaceAll(/(remaining|reset|seed):? \d+/g, '$1 N')
    .replaceAll(/\d+ creations, [\d.]+ s/g, 'N creations, N s')
    .replace(/#\d+/, '#N');
}

/** Every line that a page shows is a line of the output, in the same order. */
function assertShown(page: string, output: string): void {
  const [shown] = blocks.filter((block) => block.page === page && block.language === '');
  const lines = shown!.code.trimEnd().split('\n');
  const printed = output.split('\n').map(withoutDrawn);
  let from = 0;
  for (const line of lines.filter((one) => one !== '…').map(withoutDrawn)) {
    const at = printed.indexOf(line, from);
    assert.ok(at >= from, `${line}\nis not in\n${printed.join('\n')}`);
    from = at + 1;
  }
}

test('README.md shows the output of the kit; npm run generate output writes it', async () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  assert.ok(readme.includes(`\n\`\`\`\n${await shownReport()}\n\`\`\`\n`));
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

test('reference-server/README.md shows the output of the kit', async () => {
  const folder = temporaryFolder();
  const command = ['--', process.execPath, '--input-type=module', '-e', client];
  const options = ['--only', 'list-order', '--output', 'printed', '--concurrency', '2'];
  const { code, stdout } = await run(['client', ...options, ...command], {}, { cwd: folder });
  assert.is(code, 1, stdout);
  assertShown('reference-server/README.md', stdout);
});

test.run();
