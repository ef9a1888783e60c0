/** A file that a command reads, however it is changed, gives a result or one sentence that names it, and never an error of ours. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readFileOf, readGaps, readKeys } from '../../../reference-server/twin/files.ts';
import { seededRandom } from '../../../spec/random.ts';
import { findBaseUrl, readArchives } from '../../cli/archive.ts';
import { readGapProfile } from '../../cli/client-readers.ts';
import { readReport } from '../../cli/saved-report.ts';
import { readYaml } from '../../cli/yaml-file.ts';
import { readWaiverList } from '../../options/waivers.ts';
import { compareReports } from '../../reporters/compare.ts';
import { comparisonReporters } from '../../reporters/comparison-blocks.ts';
import { reporters } from '../../reporters/index.ts';
import { UsageError } from '../../run/usage-error.ts';
import { harOf } from '../har-of-report.ts';
import { sampleReport } from '../reporters/sample-report.ts';
import { invoke, temporaryFolder } from './command.ts';

const folder = temporaryFolder();
const seed = 20261122;
const longestSentence = 300;
/** For each kind of file. */
const changes = 250;

const odd: readonly unknown[] = [
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
];

const readIntegers = (path: string, what: string) => readYaml(path, what, { intAsBigInt: true });

type Random = () => number;

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)]!;
}

/** Replaces, removes or doubles one member of a JSON value, at any depth. */
function changeValue(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.15) return pick(odd, random);
  const entries = Object.entries(value);
  if (entries.length === 0) return pick(odd, random);
  const [name, member] = pick(entries, random);
  const kind = random();
  const changed = entries.flatMap(([key, one]): [string, unknown][] => {
    if (key !== name) return [[key, one]];
    return kind < 0.1 ? [] : [[kind < 0.15 ? `${key}x` : key, changeValue(member, random)]];
  });
  return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed);
}

/** Cuts, repeats or replaces a part of a text. */
function changeText(text: string, random: Random): string {
  const at = Math.floor(random() * text.length);
  const end = at + Math.floor(random() * 20);
  const part = pick(
    ['', text.slice(at, end).repeat(2), '{', '"', '\u0000', ': [', '- &a *a', '\n', '9'.repeat(400)],
    random,
  );
  return text.slice(0, at) + part + (random() < 0.1 ? '' : text.slice(end));
}

function changedFiles(text: string, count: number): readonly string[] {
  const random = seededRandom(seed);
  const isJson = text.startsWith('{') || text.startsWith('[');
  return Array.from({ length: count }, () => {
    if (!isJson || random() < 0.3) return changeText(text, random);
    return JSON.stringify(changeValue(JSON.parse(text), random));
  });
}

interface Kind {
  readonly file: string;
  readonly text: string;
  readonly read: (file: string) => Promise<unknown>;
}

const har = harOf({ ...sampleReport, exchanges: sampleReport.exchanges.slice(0, 4) });

const kinds: readonly Kind[] = [
  {
    file: 'report.json',
    text: reporters.json(sampleReport),
    read: async (file) => {
      const report = await readReport(file);
      for (const name of Object.keys(reporters) as (keyof typeof reporters)[]) reporters[name](report);
      const comparison = compareReports([sampleReport, report]);
      for (const show of Object.values(comparisonReporters)) show(comparison);
    },
  },
  { file: 'session.har', text: har, read: async (file) => readArchives([file], await findBaseUrl([file])) },
  {
    file: 'waivers.yaml',
    text: '- id: pet-id\n  reason: "r"\n  owner: o\n  expires: 2027-01-31\n- { id: list-limit, reason: x, owner: y, expires: 2027-02-28 }\n',
    read: async (file) => readWaiverList(await readYaml(file, 'The waiver file'), file),
  },
  {
    file: 'petstore-conformance.config.yaml',
    text: 'base-url: https://host/v1\nplan: free\nmax-requests: 60\ncategory-id: [3, 7]\nreporter: [terminal, json=report.json]\n',
    read: () => invoke('run', [], {}, folder),
  },
  {
    file: 'profile.yaml',
    text: 'list-order: newest-first # a comment\nstatus-omitted: sold\n',
    read: readGapProfile,
  },
  {
    file: 'profile.json',
    text: '{"status-omitted":"sold","list-order":"newest-first"}',
    read: readGapProfile,
  },
  // These are read for petstore-server, whose usage errors are RangeErrors.
  {
    file: 'gaps.yaml',
    text: 'list-order: newest-first # a comment\nstatus-omitted: sold\n',
    read: async (file) => readFileOf('gaps', file, readIntegers, readGaps),
  },
  {
    file: 'gaps.json',
    text: '{"status-omitted":"sold","list-order":"newest-first"}',
    read: async (file) => readFileOf('gaps', file, readIntegers, readGaps),
  },
  {
    file: 'keys.json',
    text: '[{"key":"some-key-4711","plan":"free"},{"key":"other-key-0815","plan":"enterprise","perMinute":8,"perDay":1000}]',
    read: async (file) => readFileOf('keys', file, readIntegers, readKeys),
  },
];

for (const { file, text, read } of kinds) {
  test(`${file} changed in ${changes} ways is read, or refused in one short sentence that names it`, async () => {
    const path = join(folder, file);
    let refused = 0;
    for (const changed of changedFiles(text, changes)) {
      writeFileSync(path, changed);
      try {
        await read(path);
      } catch (error) {
        const { message, stack } = error as Error;
        // A stack that overflows or a length out of bounds is a RangeError of the engine, and names no file.
        const isUsage = error instanceof UsageError || (error instanceof RangeError && message.includes(file));
        assert.ok(isUsage, `${stack}\n${changed.slice(0, 2_000)}`);
        assert.ok(message.length <= longestSentence, `${message.length}: ${message}`);
        assert.not.match(message, /[\n\0]/);
        assert.ok(message.includes(file) || message.includes('the archives'), message);
        refused += 1;
      }
    }
    assert.ok(refused > 30, String(refused));
  });
}

test('a YAML file that takes long to read is refused for its size', async () => {
  const path = join(folder, 'long.yaml');
  const keys = Array.from({ length: 100_000 }, (_one, at) => `k${at}: 1`).join('\n');
  for (const text of [
    keys,
    '!a '.repeat(100_000),
    `"${'\\x'.repeat(100_000)}"`,
    reporters.json(sampleReport).repeat(4),
  ]) {
    writeFileSync(path, text);
    const { message } = await readYaml(path, 'The file').then(
      () => new Error('It was read.'),
      (error: Error) => error,
    );
    assert.is(message, `${path} is larger than 131072 bytes.`);
  }
});

test.run();
