/** A file that a command reads, however it is changed, gives a result or one sentence that names it, and never an error of ours. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readPact, writePact } from '../../../pacts/pact.ts';
import version3 from '../../../pacts/test/vet-app-version-3.json' with { type: 'json' };
import { readFileOf } from '../../../reference-server/twin/files.ts';
import { readArchive } from '../../cli/commands/observe.ts';
import { readYaml } from '../../cli/files.ts';
import { readPacts } from '../../cli/read-pacts.ts';
import { readReport } from '../../cli/saved-report.ts';
import { readWaiverList } from '../../options/waivers.ts';
import { compareReports, comparisonReporters } from '../../reporters/compare.ts';
import { reporters } from '../../reporters/index.ts';
import { UsageError } from '../../run/usage-error.ts';
import { findBaseUrl, readArchives } from '../../traffic/archive.ts';
import { fc } from '../properties.ts';
import { sampleReport } from '../reporters/sample-report.ts';
import { invoke, temporaryFolder } from './command.ts';

const folder = temporaryFolder();

const odd = fc.constantFrom<unknown>(
  null,
  '',
  'x'.repeat(20_000),
  '\u0000\u202e::error::',
  -1,
  0.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  true,
  [],
  {},
  [[[[[]]]]],
  '__proto__',
  '9.99',
  { toString: 1, valueOf: null },
);

/** The value with one member replaced or removed: the numbers lead to it, level by level. */
function changeAt(value: unknown, [first, ...rest]: readonly number[], by: unknown, isRemoved: boolean): unknown {
  if (first === undefined || typeof value !== 'object' || value === null) return by;
  const entries = Object.entries(value);
  const wanted = first % (entries.length || 1);
  const changed = entries.flatMap(([name, member], at): [string, unknown][] => {
    if (at !== wanted) return [[name, member]];
    return isRemoved && rest.length === 0 ? [] : [[name, changeAt(member, rest, by, isRemoved)]];
  });
  return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed);
}

/** A text with a part cut, repeated or replaced, and a JSON text also with another value in it. */
function changed(text: string): fc.Arbitrary<string> {
  const part = fc.constantFrom('', '{', '"', '\u0000', ': [', '- &a *a', '\n', '9'.repeat(400));
  const texts = fc
    .tuple(fc.nat(text.length), fc.nat(20), part)
    .map(([at, length, by]) => text.slice(0, at) + by + text.slice(at + length));
  if (!/^[{[]/.test(text)) return texts;
  const path = fc.array(fc.nat(30), { minLength: 1, maxLength: 6 });
  const values = fc
    .tuple(path, odd, fc.boolean())
    .map(([way, by, isRemoved]) => JSON.stringify(changeAt(JSON.parse(text), way, by, isRemoved)));
  return fc.oneof(texts, { weight: 3, arbitrary: values });
}

const readTwinGaps = async (file: string) => readFileOf('gaps', file, readYaml);
const { log } = JSON.parse(readFileSync(new URL('commands/chromium.har', import.meta.url), 'utf8'));
const har = JSON.stringify({ log: { entries: log.entries.slice(0, 4) } });

/** File → a text, and what reads it. */
const kinds: Readonly<Record<string, readonly [text: string, read: (file: string) => Promise<unknown>]>> = {
  'report.json': [
    reporters.json(sampleReport),
    async (file) => {
      const report = await readReport(file);
      for (const show of Object.values(reporters)) show(report);
      for (const show of Object.values(comparisonReporters)) show(compareReports([sampleReport, report]));
    },
  ],
  'session.har': [
    har,
    async (file) => {
      const archive = await readArchive(file);
      return readArchives([archive], findBaseUrl([archive]));
    },
  ],
  'pact.json': [
    JSON.stringify({ ...version3, messages: [{}] }),
    async (file) => {
      // The verifier reads what the gateway writes.
      for (const pact of await readPacts([file])) readPact(writePact(pact), file);
    },
  ],
  'waivers.yaml': [
    '- id: pet-id\n  reason: "r"\n  owner: o\n  expires: 2027-01-31\n- { id: list-limit, reason: x, owner: y, expires: 2027-02-28 }\n',
    async (file) => readWaiverList(await readYaml(file, 'The waiver file'), file),
  ],
  'petstore-conformance.config.yaml': [
    'base-url: https://host/v1\nplan: free\nmax-requests: 60\ncategory-id: [3, 7]\nreporter: [terminal, json=report.json]\n',
    () => invoke('run', [], {}, folder),
  ],
  // These are read for petstore-server, whose usage errors are RangeErrors.
  'gaps.yaml': ['list-order: newest-first # a comment\nstatus-omitted: sold\n', readTwinGaps],
  'gaps.json': ['{"status-omitted":"sold","list-order":"newest-first"}', readTwinGaps],
  'keys.json': [
    '[{"key":"some-key-4711","plan":"free"},{"key":"other-key-0815","plan":"enterprise","perMinute":8,"perDay":1000}]',
    async (file) => readFileOf('keys', file, readYaml),
  ],
};

for (const [file, [text, read]] of Object.entries(kinds)) {
  test(`${file} however changed is read, or refused in one short sentence that names it`, async () => {
    const path = join(folder, file);
    let refused = 0;
    const property = fc.asyncProperty(changed(text), async (content) => {
      writeFileSync(path, content);
      const error: unknown = await read(path).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      if (error === undefined) return;
      const { message, stack } = error as Error;
      // A stack that overflows or a length out of bounds is a RangeError of the engine, and names no file.
      assert.ok(error instanceof UsageError || (error instanceof RangeError && message.includes(file)), stack);
      assert.ok(message.length <= 300 && !/[\n\0]/.test(message), message);
      assert.ok(message.includes(file) || message.includes('the archives'), message);
      refused += 1;
    });
    await fc.assert(property, { numRuns: 120, seed: 20261122 });
    assert.ok(refused > 10, String(refused));
  });
}

test('a YAML file that takes long to read is refused for its size', async () => {
  const path = join(folder, 'long.yaml');
  for (const text of ['!a '.repeat(100_000), `"${'\\x'.repeat(100_000)}"`]) {
    writeFileSync(path, text);
    const outcome = await readYaml(path, 'The file').catch((error: Error) => error.message);
    assert.is(outcome, `${path} is larger than 131072 bytes.`);
  }
});

test.run();
