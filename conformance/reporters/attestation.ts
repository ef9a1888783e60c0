/** The report as an in-toto statement of the type test result, for policies that decide about deployments. */

import { hash } from 'node:crypto';
import type { Report, ReportedInteraction, ReportedRequirement } from '../verdict/report.ts';
import { escapeForTerminal, escapeLines } from './escape.ts';
import { headlineOf } from './headline.ts';
import { reportJson } from './json.ts';
import { subjectOf, titleOf } from './words.ts';

/** An artefact that runs at the target, as the user says: the kit sees only an address. */
export interface Artefact {
  readonly name: string;
  /** Algorithm → lower-case hex digits. */
  readonly digest: Readonly<Record<string, string>>;
}

/** The lists of the predicate, and one for requirements that were not judged, for which the predicate has none. */
type Outcome = 'passed' | 'warned' | 'failed' | 'not-judged';

/** A waived failure counts as failed: whoever reads the statement decides anew. */
const outcomes: Readonly<Record<(ReportedRequirement | ReportedInteraction)['verdict'], Outcome>> = {
  pass: 'passed',
  warn: 'warned',
  pending: 'warned',
  fail: 'failed',
  inconclusive: 'not-judged',
  skipped: 'not-judged',
  'not-applicable': 'not-judged',
  'not-verifiable': 'not-judged',
  error: 'not-judged',
};

type Tests = ReadonlyMap<Outcome, readonly string[]>;

/** Requirements by their ids, interactions by their titles. */
function testsOf({ requirements, interactions = [] }: Report): Tests {
  const tests = [
    ...requirements.map(({ id, verdict }) => [id, outcomes[verdict]] as const),
    ...interactions.map((one) => [escapeForTerminal(`pact: ${titleOf(one)}`), outcomes[one.verdict]] as const),
  ];
  const groups = Map.groupBy(tests, ([, outcome]) => outcome);
  return new Map([...groups].map(([outcome, all]) => [outcome, all.map(([name]) => name)]));
}

/** The format has no word for a run without a verdict. Nothing was proven, so it failed. */
function resultOf({ verdict }: Report, tests: Tests): 'PASSED' | 'WARNED' | 'FAILED' {
  if (verdict !== 'conforms') return 'FAILED';
  return tests.has('warned') || tests.has('failed') ? 'WARNED' : 'PASSED';
}

/** A value of a report, with the digest of its JSON without spaces. */
function heldValue(name: string, value: object): object {
  return {
    name,
    digest: { sha256: hash('sha256', JSON.stringify(value)) },
    mediaType: 'application/json',
    annotations: value,
  };
}

/** The kit, the target and the settings. The day is left out, so that runs with the same settings have the same digest. */
function configurationOf({ kit, client, target, settings }: Report): readonly object[] {
  const { name, version, commit } = kit;
  const { today: _today, ...lasting } = settings;
  return [
    {
      name: 'kit',
      uri: `pkg:npm/${name}@${version}`,
      ...(commit !== undefined && { digest: { gitCommit: commit } }),
    },
    client === undefined
      ? { name: 'target', uri: escapeForTerminal(target.baseUrl) }
      : heldValue('client', { command: client.command }),
    heldValue('settings', lasting),
  ];
}

/** The report, by the digest of the text that the reporter `json` writes. */
function describeReport(report: Report, tests: Tests): object {
  const { startedAt, verdict, exitCode, reason, interface: stated } = report;
  return {
    name: 'report.json',
    digest: { sha256: hash('sha256', reportJson(report)) },
    mediaType: 'application/json',
    annotations: {
      interface: `${stated.name} ${stated.version}`,
      startedAt,
      verdict,
      exitCode,
      headline: `${headlineOf(report)}: ${escapeForTerminal(subjectOf(report))}`,
      ...(reason !== undefined && { reason: escapeForTerminal(reason) }),
      notJudged: tests.get('not-judged') ?? [],
    },
  };
}

/** An unsigned statement about the artefacts that run at the target, and about the report that it rests on. */
export function reportAttestation(report: Report, artefacts: readonly Artefact[] = []): string {
  const tests = testsOf(report);
  const statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [...artefacts, describeReport(report, tests)],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: {
      result: resultOf(report, tests),
      configuration: configurationOf(report),
      passedTests: tests.get('passed') ?? [],
      warnedTests: tests.get('warned') ?? [],
      failedTests: tests.get('failed') ?? [],
    },
  };
  return `${escapeLines(JSON.stringify(statement, null, 2))}\n`;
}
