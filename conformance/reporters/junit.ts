/** The report as JUnit XML for CI systems: one test case for each requirement. */

import { sentenceOf } from '../verdict/finding.ts';
import { type CauseView, waiverRemark } from './cause-view.ts';
import { escapeForTerminal } from './escape.ts';
import { commandsOf, evidenceLines } from './evidence.ts';
import { type Mark, marks } from './marks.ts';
import { joinMarkup, type Markup, markup } from './markup.ts';
import type { InteractionView, RequirementView, View } from './view.ts';

type Result = 'passed' | 'failure' | 'error' | 'skipped';

/** A test case; `lines` are its evidence. Its texts may hold hostile characters. */
export interface TestCase {
  readonly group: string;
  readonly name: string;
  readonly result: Result;
  readonly type: string;
  readonly message: string;
  readonly lines: readonly string[];
  /** The run takes the time, since no requirement has requests of its own. */
  readonly durationMs: number;
}

/** A warning or a waived failure does not fail a build: both are shown as skipped, with their reason. */
const results: Readonly<Partial<Record<Mark, Result>>> = { pass: 'passed', fail: 'failure', error: 'error' };

function resultOf(mark: Mark, message: string): Pick<TestCase, 'result' | 'message'> {
  const result = results[mark] ?? 'skipped';
  return { result, message: result === 'skipped' ? `${marks[mark].word}: ${message}` : message };
}

/** What a cause says of one of its requirements: its own failures and remarks, and the evidence of the cause. */
function causeLines({ failure, story, where, remedy, broken, evidence }: CauseView, id: string): readonly string[] {
  const own = broken.find(({ requirement }) => requirement.id === id);
  if (own === undefined) return [];
  const cause = [`${failure.code}: ${story}`, ...(where === undefined ? [] : [where])];
  const advice = remedy === undefined ? [] : [remedy];
  const ownCommand = own.command === undefined ? [] : [own.command];
  return [
    ...cause,
    ...advice,
    ...own.stories,
    ...ownCommand,
    ...evidenceLines(evidence),
    ...commandsOf(evidence),
    ...own.remarks,
  ];
}

function caseOf({ requirement, mark, note = '' }: RequirementView, { causes }: View): TestCase {
  const { id, section, text, verdict, failures, reason = verdict, waiver } = requirement;
  const [first] = failures;
  const message = [first === undefined ? reason : sentenceOf(first), ...waiverRemark(requirement)].join('; ');
  // An expired waiver fails the run, whatever its requirement shows.
  const shown = waiver?.state === 'expired' ? 'fail' : mark;
  return {
    group: `§${section}`,
    name: `${id}: ${text}`,
    ...resultOf(shown, message),
    type: first?.code ?? verdict,
    lines: first === undefined && shown !== 'pass' ? [note] : causes.flatMap((cause) => causeLines(cause, id)),
    durationMs: 0,
  };
}

function caseOfInteraction({ messages, mark, title, evidence }: InteractionView): TestCase {
  const lines = mark === 'pass' ? [] : [...messages, ...evidenceLines(evidence)];
  return {
    group: 'pact',
    name: title,
    ...resultOf(mark, messages[0] ?? mark),
    type: 'interaction',
    lines,
    durationMs: 0,
  };
}

/** The case of the run itself fails where no other says why the run does not end with 0. */
function caseOfRun(view: View, cases: readonly TestCase[]): TestCase {
  const { report, headline, subject, reason = report.verdict, tally, notes } = view;
  const isPassed = report.exitCode === 0 || cases.some(({ result }) => result === 'failure' || result === 'error');
  return {
    group: 'run',
    name: 'the run came to a verdict',
    ...resultOf(isPassed ? 'pass' : 'error', reason),
    type: report.verdict,
    lines: [`${headline.text}: ${subject}`, ...(isPassed ? [] : [reason]), ...tally, ...notes],
    durationMs: report.durationMs,
  };
}

/** Ensures that no line of the output starts with text from the target, so it cannot inject CI commands. */
function resultElement({ result, type, message, lines }: TestCase): Markup {
  const text = lines.map(escapeForTerminal).join('\n');
  if (result === 'passed') return text === '' ? markup`` : markup`<system-out>${text}</system-out>`;
  if (result === 'skipped') return markup`<skipped message="${message}">${text}</skipped>`;
  return markup`<${result} type="${type}" message="${message}">${text}</${result}>`;
}

function timeOf(cases: readonly TestCase[]): string {
  return (cases.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000).toFixed(3);
}

function caseElement(one: TestCase): Markup {
  return markup`    <testcase classname="${one.group}" name="${one.name}" time="${timeOf([one])}">${resultElement(one)}</testcase>`;
}

function countAttributes(cases: readonly TestCase[]): Markup {
  const count = (wanted: Result): number => cases.filter(({ result }) => result === wanted).length;
  return markup`tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
}

/** The run itself first, then the interactions of pacts, then the requirements. */
export function casesOf(view: View): Readonly<Record<string, readonly TestCase[]>> {
  const requirements = view.sections.flatMap((section) => section.requirements.map((one) => caseOf(one, view)));
  const interactions = view.interactions.map(caseOfInteraction);
  const run = [caseOfRun(view, [...interactions, ...requirements])];
  return { run, ...(view.report.interactions && { interactions }), requirements };
}

export function reportJunit(view: View): string {
  const { report } = view;
  const suites = Object.entries(casesOf(view));
  const elements = suites.map(
    ([
      name,
      cases,
    ]) => markup`  <testsuite name="${name}" ${countAttributes(cases)} time="${timeOf(cases)}" timestamp="${report.startedAt}">
${joinMarkup(cases.map(caseElement))}
  </testsuite>`,
  );
  const { name, version } = report.interface;
  const counts = countAttributes(suites.flatMap(([, cases]) => cases));
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${`${name} ${version}`}" ${counts} time="${(report.durationMs / 1000).toFixed(3)}">
${joinMarkup(elements)}
</testsuites>
`.toString();
}
