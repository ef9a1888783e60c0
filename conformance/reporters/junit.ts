/** The report as JUnit XML: one test case for each statement, as CI systems show them. */

import type { Report, ReportedInteraction, ReportedRequirement } from '../engine/report.ts';
import { countWaived, statementsInWords } from './counts.ts';
import { escapeForTerminal } from './escape.ts';
import { evidenceLines, exchangeLines, exchangesOf, showCurl } from './evidence.ts';
import { joinMarkup, type Markup, markup } from './markup.ts';
import { markOf, markWords, remarksOn, titleOf } from './words.ts';

type Result =
  | { readonly kind: 'failure' | 'error'; readonly type: string; readonly message: string; readonly text: string }
  | { readonly kind: 'skipped'; readonly message: string; readonly text: string }
  | { readonly kind: 'passed'; readonly text: string };

interface TestCase {
  readonly classname: string;
  readonly name: string;
  readonly result: Result;
}

/** Lines of which none is begun by what a target says. */
function joinLines(lines: readonly string[]): string {
  return lines.map(escapeForTerminal).join('\n');
}

function textOf(requirement: ReportedRequirement, report: Report): string {
  const { failures, reason } = requirement;
  const reasons = failures.flatMap((failure) => [
    `${failure.code}: ${failure.message}`,
    ...evidenceLines(report, failure),
    showCurl(failure),
  ]);
  // Where there are failures, the remarks hold the reason.
  const others = failures.length > 0 || reason === undefined ? [] : [reason];
  return joinLines([...reasons, ...others, ...remarksOn(requirement)]);
}

/** A warning does not fail a build, and neither does what is waived: both are shown as skipped, with their reason. */
function resultOf(requirement: ReportedRequirement, report: Report): Result {
  const { verdict, failures, reason = verdict } = requirement;
  const mark = markOf(requirement);
  const { code: type, message } = failures[0] ?? { code: verdict, message: reason };
  const text = textOf(requirement, report);
  if (mark === 'pass') return { kind: 'passed', text };
  if (mark === 'fail') return { kind: 'failure', type, message, text };
  if (mark === 'error') return { kind: 'error', type, message, text };
  return { kind: 'skipped', message: `${markWords[mark]}: ${message}`, text };
}

function caseOf(requirement: ReportedRequirement, report: Report): TestCase {
  const { id, section, statement } = requirement;
  return { classname: `§${section}`, name: `${id}: ${statement}`, result: resultOf(requirement, report) };
}

function caseOfInteraction(interaction: ReportedInteraction, report: Report): TestCase {
  const { verdict, messages, exchanges } = interaction;
  const [message = verdict] = messages;
  const text = joinLines([...messages, ...exchangesOf(report, exchanges.slice(-1)).flatMap(exchangeLines)]);
  const results: Readonly<Record<typeof verdict, Result>> = {
    pass: { kind: 'passed', text: '' },
    fail: { kind: 'failure', type: 'interaction', message, text },
    pending: { kind: 'skipped', message: `${markWords['pending']}: ${message}`, text },
    'not-verifiable': { kind: 'skipped', message: `${markWords['not-verifiable']}: ${message}`, text },
  };
  return { classname: 'pact', name: titleOf(interaction), result: results[verdict] };
}

/** A run that could not judge must not look green, nor one that only an expired waiver fails. */
function caseOfRun(report: Report, cases: readonly TestCase[]): TestCase {
  const { exitCode, verdict, reason = verdict } = report;
  const isExplained = cases.some(({ result }) => result.kind === 'failure' || result.kind === 'error');
  const text = statementsInWords(report);
  const result: Result =
    exitCode === 0 || isExplained
      ? { kind: 'passed', text }
      : { kind: 'error', type: verdict, message: reason, text: joinLines([reason, text]) };
  return { classname: 'run', name: 'the run came to a verdict', result };
}

function resultElement(result: Result): Markup {
  const { kind, text } = result;
  if (kind === 'passed') return text === '' ? markup`` : markup`<system-out>${text}</system-out>`;
  if (kind === 'skipped') return markup`<skipped message="${result.message}">${text}</skipped>`;
  return markup`<${kind} type="${result.type}" message="${result.message}">${text}</${kind}>`;
}

function testCase({ classname, name, result }: TestCase): Markup {
  return markup`    <testcase classname="${classname}" name="${name}" time="0">${resultElement(result)}</testcase>`;
}

function countOf(kind: Result['kind'], cases: readonly TestCase[]): number {
  return cases.filter(({ result }) => result.kind === kind).length;
}

function countAttributes(cases: readonly TestCase[]): Markup {
  return markup`tests="${cases.length}" failures="${countOf('failure', cases)}" errors="${countOf('error', cases)}"`;
}

/** What is known of the run; its counts are those of the statements, as every report has them. */
function runProperties(report: Report): Markup {
  const counts = Object.entries({ ...report.counts, waived: countWaived(report) });
  const properties = [
    ['target', report.target.baseUrl] as const,
    ['seed', report.seed] as const,
    ...counts.map(([name, count]) => [`statements.${name}`, count] as const),
  ].map(([name, value]) => markup`      <property name="${name}" value="${value}"/>`);
  return markup`    <properties>
${joinMarkup(properties)}
    </properties>`;
}

interface TestSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
  readonly properties?: Markup;
}

function suiteElement({ name, cases, properties }: TestSuite, { startedAt }: Report): Markup {
  const children = [...(properties === undefined ? [] : [properties]), ...cases.map(testCase)];
  return markup`  <testsuite name="${name}" ${countAttributes(cases)} skipped="${countOf('skipped', cases)}" timestamp="${startedAt}" time="0">
${joinMarkup(children)}
  </testsuite>`;
}

export function reportJunit(report: Report): string {
  const statements = report.requirements.map((requirement) => caseOf(requirement, report));
  const interactions = report.interactions?.map((interaction) => caseOfInteraction(interaction, report));
  const judged = [...(interactions ?? []), ...statements];
  const run = caseOfRun(report, judged);
  const suites: readonly TestSuite[] = [
    { name: 'run', cases: [run], properties: runProperties(report) },
    ...(interactions === undefined ? [] : [{ name: 'interactions', cases: interactions }]),
    { name: 'statements', cases: statements },
  ];
  const { name, version } = report.interface;
  const seconds = (report.durationMs / 1000).toFixed(3);
  const document = markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${name} ${version}" ${countAttributes([run, ...judged])} time="${seconds}">
${joinMarkup(suites.map((suite) => suiteElement(suite, report)))}
</testsuites>
`;
  return document.toString();
}
