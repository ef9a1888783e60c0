/** The report as JUnit XML for CI systems: one test case for each requirement. */

import { sentenceOf } from '../verdict/failure.ts';
import type { Report } from '../verdict/report.ts';
import { escapeForTerminal } from './escape.ts';
import { commandsOf, evidenceLines } from './evidence.ts';
import { type Mark, marks } from './marks.ts';
import { joinMarkup, type Markup, markup } from './markup.ts';
import type { CauseView, InteractionView, RequirementView, View } from './view.ts';

type Result = 'passed' | 'failure' | 'error' | 'skipped';

/** A test case; `lines` are its evidence. */
export interface TestCase {
  readonly group: string;
  readonly name: string;
  readonly result: Result;
  readonly type: string;
  readonly message: string;
  readonly lines: readonly string[];
}

/** The cases of a suite, and facts about it for whoever keeps test results in a database. */
export interface TestSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
  readonly properties?: readonly (readonly [name: string, value: string | number])[];
}

/** A warning or a waived failure does not fail a build: both are shown as skipped, with their reason. */
const results: Readonly<Partial<Record<Mark, Result>>> = { pass: 'passed', fail: 'failure', error: 'error' };

function resultOf(mark: Mark, message: string): Pick<TestCase, 'result' | 'message'> {
  const result = results[mark] ?? 'skipped';
  return { result, message: result === 'skipped' ? `${marks[mark].word}: ${message}` : message };
}

/** What a cause says of one of its requirements: its own failures and remarks, and the evidence of the cause. */
function causeLines(cause: CauseView, id: string): readonly string[] {
  const own = cause.broken.find(({ requirement }) => requirement.id === id);
  if (own === undefined) return [];
  return [
    `${cause.failure.code}: ${cause.sentence}`,
    ...(cause.also === undefined ? [] : [cause.also]),
    ...own.further,
    ...evidenceLines(cause.evidence),
    ...commandsOf(cause.evidence),
    ...own.remarks,
  ];
}

function caseOf({ requirement, mark, note = '' }: RequirementView, { causes }: View): TestCase {
  const { id, section, text, verdict, failures, reason = verdict } = requirement;
  const [first] = failures;
  return {
    group: `§${section}`,
    name: `${id}: ${text}`,
    ...resultOf(mark, first === undefined ? reason : sentenceOf(first)),
    type: first?.code ?? verdict,
    lines: first === undefined && mark !== 'pass' ? [note] : causes.flatMap((cause) => causeLines(cause, id)),
  };
}

function caseOfInteraction({ messages, mark, title, evidence }: InteractionView): TestCase {
  const lines = mark === 'pass' ? [] : [...messages, ...evidenceLines(evidence)];
  return { group: 'pact', name: title, ...resultOf(mark, messages[0] ?? mark), type: 'interaction', lines };
}

/** The case of the run itself fails where it could not judge, or where only an expired waiver makes it fail. */
function caseOfRun(
  { report: { exitCode, verdict }, reason = verdict, tally }: View,
  cases: readonly TestCase[],
): TestCase {
  const isPassed = exitCode === 0 || cases.some(({ result }) => result === 'failure' || result === 'error');
  return {
    group: 'run',
    name: 'the run came to a verdict',
    ...resultOf(isPassed ? 'pass' : 'error', reason),
    type: verdict,
    lines: isPassed ? tally : [reason, ...tally],
  };
}

/** Ensures that no line of the output starts with text from the target, so it cannot inject CI commands. */
function resultElement({ result, type, message, lines }: TestCase): Markup {
  const text = lines.map(escapeForTerminal).join('\n');
  if (result === 'passed') return text === '' ? markup`` : markup`<system-out>${text}</system-out>`;
  if (result === 'skipped') return markup`<skipped message="${message}">${text}</skipped>`;
  return markup`<${result} type="${type}" message="${message}">${text}</${result}>`;
}

function caseElement(one: TestCase): Markup {
  return markup`    <testcase classname="${one.group}" name="${one.name}">${resultElement(one)}</testcase>`;
}

function countAttributes(cases: readonly TestCase[]): Markup {
  const count = (wanted: Result): number => cases.filter(({ result }) => result === wanted).length;
  return markup`tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
}

/** When a run began, and how long it took, milliseconds. */
type Times = Pick<Report, 'startedAt' | 'durationMs'>;

function suiteElement({ name, cases, properties = [] }: TestSuite, times: Times | undefined): Markup {
  const rows = properties.map(([fact, value]) => markup`      <property name="${fact}" value="${value}"/>`);
  const list = rows.length === 0 ? [] : [markup`    <properties>\n${joinMarkup(rows)}\n    </properties>`];
  const timestamp = times === undefined ? '' : markup` timestamp="${times.startedAt}"`;
  return markup`  <testsuite name="${name}" ${countAttributes(cases)}${timestamp}>
${joinMarkup([...list, ...cases.map(caseElement)])}
  </testsuite>`;
}

/** Suites of test cases as a document. */
export function showSuites(name: string, suites: readonly TestSuite[], times?: Times): string {
  const count = countAttributes(suites.flatMap(({ cases }) => cases));
  const time = times === undefined ? '' : markup` time="${(times.durationMs / 1000).toFixed(3)}"`;
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${name}" ${count}${time}>
${joinMarkup(suites.map((suite) => suiteElement(suite, times)))}
</testsuites>
`.toString();
}

/** The run itself first, with the properties; then the interactions of pacts, then the requirements. */
export function reportJunit(view: View): string {
  const { report, sections, interactions, headline, subject, settings } = view;
  const { verdict, seed, requests, kit, interface: stated } = report;
  const title = `${stated.name} ${stated.version}`;
  const requirements = sections.flatMap((section) => section.requirements.map((one) => caseOf(one, view)));
  const pacts = interactions.map(caseOfInteraction);
  const facts = {
    interface: title,
    target: subject,
    verdict,
    headline: headline.text,
    seed,
    requests,
    kit: kit.version,
  };
  const properties = [
    ...Object.entries(facts),
    ...settings.map(([name, value]) => [`settings.${name}`, value] as const),
  ];
  const suites: readonly TestSuite[] = [
    { name: 'run', cases: [caseOfRun(view, [...pacts, ...requirements])], properties },
    ...(report.interactions === undefined ? [] : [{ name: 'interactions', cases: pacts }]),
    { name: 'requirements', cases: requirements },
  ];
  return showSuites(title, suites, report);
}
