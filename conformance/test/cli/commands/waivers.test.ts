/** Failures that a team has accepted until a day: what they do to a run. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startOtherServer } from '../../other-server.ts';
import { readReport, run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();

/** A server whose 404 tells another status, judged with some waivers. */
async function judgeWith(waivers: string, maxRequests = '60') {
  const { baseUrl, key, server } = await startOtherServer({
    breaks: (answer) => {
      if (answer.status === 404) answer.body = answer.body.replace('"status":404', '"status":400');
    },
  });
  const [file, report] = [join(folder, 'waivers.yaml'), join(folder, 'waived.json')];
  writeFileSync(file, waivers);
  const args = ['run', baseUrl, '--waivers', file, '--max-requests', maxRequests, '--now', '2026-11-21'];
  const result = await run([...args, '--reporter', 'terminal', '--reporter', `json=${report}`], {
    PETSTORE_API_KEY: key,
  });
  return { ...result, report: result.code === 2 ? undefined : readReport(report), server, key };
}

const waiver = (id: string, expires: string): string =>
  `- id: ${id}\n  reason: fixed in 2.0\n  owner: pets team\n  expires: ${expires}\n`;

test('a waived failure does not fail the run and stays visible', async () => {
  const { code, stdout, report, server } = await judgeWith(waiver('error-status-equals', '2026-11-21'));
  server.close();
  assert.is(code, 0, stdout);
  assert.match(stdout, /~ waived {2}§7 error-status-equals/);
  assert.match(stdout, /Waived \(pets team, until 2026-11-21\): fixed in 2\.0/);
  const waived = report?.requirements.find(({ id }) => id === 'error-status-equals');
  assert.is(waived?.verdict, 'fail');
  assert.is(waived?.waiver?.state, 'waived');
});

test('an expired waiver fails the run, and says so', async () => {
  const { code, stdout, server } = await judgeWith(waiver('error-status-equals', '2026-11-20'));
  server.close();
  assert.is(code, 1);
  assert.match(stdout, /the waiver of error-status-equals expired on 2026-11-20: remove or renew it/);
});

test('a stale waiver is a note, and does not fail the run', async () => {
  const list = waiver('error-status-equals', '2027-01-31') + waiver('list-limit', '2027-01-31');
  const { code, stdout, server } = await judgeWith(list);
  server.close();
  assert.is(code, 0, stdout);
  assert.match(stdout.replaceAll(/\s+/g, ' '), 'list-limit holds in this run, so its waiver may be removed.');
});

test('wrong waivers end with 2 before a request is sent', async () => {
  const { code, stderr, server } = await judgeWith(waiver('pet-id', '2027-02-31'));
  server.close();
  assert.is(code, 2);
  assert.match(stderr, /must expire on a day/);
});

test.run();
