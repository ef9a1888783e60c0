/** The first signal ends a command at whatever moment it comes, and its reports are written. */

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reporters } from '../../../reporters/index.ts';
import { startOtherServer } from '../../other-server.ts';
import { sampleReport } from '../../reporters/sample-report.ts';
import { readReport, start, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const saved = join(folder, 'saved.json');
writeFileSync(saved, reporters.json(sampleReport));
const archive = join(folder, 'session.har');
writeFileSync(archive, reporters.har(sampleReport));

/** Sends the signal as soon as somebody listens for it, which is before anything else happens. */
const code = `process.on('newListener', (name) => {
  if (name === 'SIGINT') setImmediate(() => process.kill(process.pid, 'SIGINT'));
});`;
const signalAtOnce = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };

/** Against a server that would keep the run busy for minutes; the signal comes at a request of this number. */
async function runInterruptedAt(request: number) {
  const { baseUrl, key, server } = await startOtherServer({ delayMs: request === 0 ? 0 : 60 });
  const file = join(folder, `at-${request}.json`);
  const args = ['run', baseUrl, '--reporter', `json=${file}`];
  const { child, result } = start(args, { PETSTORE_API_KEY: key, ...(request === 0 && signalAtOnce) });
  let asked = 0;
  server.on('request', () => {
    asked += 1;
    if (asked === request) child.kill('SIGINT');
  });
  const outcome = await result;
  server.closeAllConnections();
  server.close();
  return { outcome, file, asked };
}

test('a run ends on SIGINT before its first request and at nine other moments, and writes its report', async () => {
  for (const request of [0, 1, 2, 3, 4, 5, 7, 9, 12, 15]) {
    const { outcome, file, asked } = await runInterruptedAt(request);
    assert.is(outcome.code, 3, `${request}: ${outcome.stderr}`);
    const report = readReport(file);
    assert.is(report.reason, 'The run was interrupted.', String(request));
    assert.match(outcome.stdout, /interrupted\)/);
    assert.ok(asked <= request + 1, `${asked} requests after a signal at ${request}`);
  }
});

/** Commands with the reports that they owe, and whether a signal before the first step leaves them time to finish. */
const commands: readonly (readonly [words: readonly string[], file: string | undefined, codes: readonly number[]])[] = [
  [['replay', saved, 'pet-name-kept', 'http://127.0.0.1:9/v1'], undefined, [3]],
  [['watch', 'http://127.0.0.1:9/v1', '--reporter', `json=${join(folder, 'watch.json')}`], 'watch.json', [3]],
  [['observe', archive, '--reporter', `json=${join(folder, 'observe.json')}`], 'observe.json', [1, 3]],
  [['client', '--reporter', `json=${join(folder, 'client.json')}`, '--', process.execPath, '-v'], 'client.json', [3]],
  [['report', saved, '--reporter', `html=${join(folder, 'page.html')}`], 'page.html', [0]],
  [['compare', saved, saved, '--format', `html=${join(folder, 'compare.html')}`], 'compare.html', [0, 1, 3]],
  [['plan'], undefined, [0, 3]],
  [['self-test'], undefined, [3]],
];

for (const [words, file, codes] of commands) {
  test(`${words[0]} ends on a signal that comes first, with its report`, async () => {
    const { code: exitCode, stderr } = await start(words, { PETSTORE_API_KEY: 'some-key', ...signalAtOnce }).result;
    assert.ok(codes.includes(exitCode ?? -1), `${exitCode}: ${stderr}`);
    if (file !== undefined) assert.ok(existsSync(join(folder, file)));
  });
}

test.after(() => rmSync(folder, { recursive: true, force: true }));

test.run();
