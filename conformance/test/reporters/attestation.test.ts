/** The in-toto statement: valid by its specification, never better than the verdict, and bound to the report. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Artefact, reportAttestation } from '../../reporters/attestation.ts';
import { reportJson } from '../../reporters/json.ts';
import { countVerdicts } from '../../verdict/counts.ts';
import type { Report, ReportedRequirement } from '../../verdict/report.ts';
import { run, temporaryFolder } from '../cli/command.ts';
import { sampleReport } from './sample-report.ts';

/** Statement v1, resource descriptors and test-result v0.1, as their specifications have them in words. */
const descriptor = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    uri: { type: 'string', pattern: '^[a-z]+:[^\\s]+$' },
    digest: {
      type: 'object',
      minProperties: 1,
      propertyNames: { enum: ['sha256', 'sha384', 'sha512', 'gitCommit'] },
      additionalProperties: { type: 'string', pattern: '^([0-9a-f]{2})+$' },
    },
    mediaType: { const: 'application/json' },
    annotations: { type: 'object' },
  },
  additionalProperties: false,
  anyOf: [{ required: ['uri'] }, { required: ['digest'] }],
};
const names = { type: 'array', items: { type: 'string', minLength: 1 }, uniqueItems: true };
const validate = new Ajv2020({ strict: false }).compile({
  type: 'object',
  properties: {
    _type: { const: 'https://in-toto.io/Statement/v1' },
    subject: { type: 'array', minItems: 1, items: { ...descriptor, required: ['digest'] } },
    predicateType: { const: 'https://in-toto.io/attestation/test-result/v0.1' },
    predicate: {
      type: 'object',
      properties: {
        result: { enum: ['PASSED', 'WARNED', 'FAILED'] },
        configuration: { type: 'array', items: descriptor },
        passedTests: names,
        warnedTests: names,
        failedTests: names,
      },
      required: ['result', 'configuration'],
      additionalProperties: false,
    },
  },
  required: ['_type', 'subject', 'predicateType', 'predicate'],
  additionalProperties: false,
});

interface Described {
  readonly name: string;
  readonly uri?: string;
  readonly digest: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, unknown>>;
}

interface Statement {
  readonly subject: readonly Described[];
  readonly predicate: {
    readonly result: string;
    readonly configuration: readonly Described[];
    readonly passedTests: readonly string[];
    readonly warnedTests: readonly string[];
    readonly failedTests: readonly string[];
  };
}

function statementOf(report: Report, artefacts?: readonly Artefact[]): Statement {
  const statement = JSON.parse(reportAttestation(report, artefacts)) as Statement;
  assert.ok(validate(statement), JSON.stringify(validate.errors));
  return statement;
}

const { reason: _reason, interactions: _interactions, ...rest } = sampleReport;

function reportOf(requirements: readonly ReportedRequirement[], changes: Partial<Report> = {}): Report {
  const base = { ...rest, verdict: 'conforms', exitCode: 0 } as const;
  return { ...base, requirements, counts: countVerdicts(requirements), ...changes };
}

const [held] = sampleReport.requirements.filter(({ verdict }) => verdict === 'pass');
const waived = sampleReport.requirements.find(({ waiver }) => waiver?.state === 'waived')!;
const warned = sampleReport.requirements.find(({ verdict }) => verdict === 'warn')!;
const unshown = sampleReport.requirements.find(({ verdict }) => verdict === 'inconclusive')!;

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

test('every requirement and interaction is in one list, and none that was not judged is in the list of passes', () => {
  const { subject, predicate } = statementOf(sampleReport);
  const { passedTests, warnedTests, failedTests } = predicate;
  const notJudged = subject[0]!.annotations['notJudged'] as readonly string[];
  const all = [passedTests, warnedTests, failedTests, notJudged];
  assert.equal(
    all.map((list) => list.filter((name) => !name.startsWith('pact: '))),
    [
      ['service-json', 'pet-id-unique'],
      ['list-limit-refused'],
      ['pet-name-kept', 'list-answer', 'list-limit', 'auth-invalid-key'],
      ['service-staging-paths', 'list-complete', 'create-answer', 'rate-exceeded', 'version-base-address'],
    ],
  );
  const interactions = all.map((list) =>
    list.filter((name) => name.startsWith('pact: ')).map((name) => name.slice(0, 16)),
  );
  assert.equal(interactions, [['pact: adoption-s'], ['pact: shop: a ne'], ['pact: shop </tes'], ['pact: shop: too ']]);
  assert.is(new Set(all.flat()).size, sampleReport.requirements.length + 4);
});

test('a run that conforms has passed, with warnings where it warns or a waiver excuses it', () => {
  const resultOf = (report: Report): string => statementOf(report).predicate.result;
  assert.is(resultOf(reportOf([held!])), 'PASSED');
  assert.is(resultOf(reportOf([held!, unshown])), 'PASSED');
  assert.is(resultOf(reportOf([held!, warned])), 'WARNED');
  assert.is(resultOf(reportOf([held!, waived])), 'WARNED');
  assert.equal(statementOf(reportOf([held!, waived])).predicate.failedTests, [waived.id]);
  const pending = sampleReport.interactions!.filter(({ verdict }) => verdict === 'pending');
  assert.is(resultOf(reportOf([held!], { interactions: pending })), 'WARNED');
});

test('a run that does not conform, or came to no verdict, has failed', () => {
  assert.is(statementOf(sampleReport).predicate.result, 'FAILED');
  for (const exitCode of [3, 4] as const) {
    const report = reportOf([held!], { verdict: 'inconclusive', exitCode, reason: 'The target is gone.' });
    const { subject, predicate } = statementOf(report);
    assert.is(predicate.result, 'FAILED');
    const { verdict, reason, exitCode: annotated } = subject[0]!.annotations;
    assert.equal([verdict, reason, annotated], ['inconclusive', 'The target is gone.', exitCode]);
  }
});

test('it names the kit, the address and the settings; equal settings have equal digests on every day', () => {
  const { configuration } = statementOf(sampleReport).predicate;
  const [kit, target, settings] = configuration;
  assert.equal(kit, {
    name: 'kit',
    uri: 'pkg:npm/petstore-conformance@0.1.0',
    digest: { gitCommit: sampleReport.kit.commit },
  });
  assert.equal(target, { name: 'target', uri: 'http://127.0.0.1:8080/v1' });
  const { today: _today, ...lasting } = sampleReport.settings;
  assert.equal(settings!.annotations, JSON.parse(JSON.stringify(lasting)));
  assert.is(settings!.digest['sha256'], sha256(JSON.stringify(lasting)));
  const { commit: _commit, ...unknown } = sampleReport.kit;
  assert.not.ok('digest' in statementOf({ ...sampleReport, kit: unknown }).predicate.configuration[0]!);
  const digestWith = (changes: Partial<Report['settings']>): string | undefined =>
    statementOf({ ...sampleReport, settings: { ...sampleReport.settings, ...changes } }).predicate.configuration[2]
      ?.digest['sha256'];
  assert.is(digestWith({ today: '2027-01-01T00:00:00.000Z' }), settings!.digest['sha256']);
  assert.is.not(digestWith({ maxRequests: 121 }), settings!.digest['sha256']);
});

test('a client is named by its command', () => {
  const client = { command: ['npm', 'test'], worksWith: 1, ranWith: 1, reliesOn: 0, services: [] };
  const [, configured] = statementOf({ ...sampleReport, client }).predicate.configuration;
  assert.equal([configured!.name, configured!.annotations], ['client', { command: ['npm', 'test'] }]);
  assert.is(configured!.digest['sha256'], sha256('{"command":["npm","test"]}'));
});

const folder = temporaryFolder();
const image = 'registry.example.com/pet-store';
const digest = 'ab'.repeat(32);

test('its subjects are the artefacts that the user names, and the report that json writes', async () => {
  const [report, attestation] = ['report.json', 'attestation.json'].map((name) => join(folder, name));
  const words = [
    'run',
    '--max-requests',
    '20',
    '--reporter',
    `json=${report}`,
    '--reporter',
    `attestation=${attestation}`,
  ];
  const { code, stderr } = await run([...words, '--subject', `${image}@sha256:${digest}`]);
  assert.is(code, 0, stderr);
  const { subject, predicate } = JSON.parse(readFileSync(attestation!, 'utf8')) as Statement;
  assert.equal(subject[0], { name: image, digest: { sha256: digest } });
  assert.equal(
    [subject[1]?.name, subject[1]?.digest],
    ['report.json', { sha256: sha256(readFileSync(report!, 'utf8')) }],
  );
  assert.is(predicate.result, 'PASSED');

  const again = await run(['report', report!, '--reporter', 'attestation']);
  assert.equal((JSON.parse(again.stdout) as Statement).subject, [subject[1]]);
  const commit = 'c'.repeat(40);
  const later = await run(['report', report!, '--reporter', 'attestation', '--subject', `pets@gitCommit:${commit}`]);
  assert.equal((JSON.parse(later.stdout) as Statement).subject, [
    { name: 'pets', digest: { gitCommit: commit } },
    subject[1],
  ]);
});

test('without artefacts the only subject is the report', () => {
  assert.equal(
    statementOf(sampleReport).subject.map(({ name, digest }) => [name, digest]),
    [['report.json', { sha256: sha256(reportJson(sampleReport)) }]],
  );
});

test.run();
