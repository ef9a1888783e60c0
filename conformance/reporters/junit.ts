/** The report as JUnit XML for CI systems: one test case for each requirement. */

import type { Report } from '../verdict/report.ts';
import { joinMarkup, type Markup, markup } from './markup.ts';
import { propertiesOf, type Result, type TestCase, type TestSuite, testSuitesOf } from './test-cases.ts';

function inSeconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function resultElement({ result, type, message, text }: TestCase): Markup {
  if (result === 'passed') return text === '' ? markup`` : markup`<system-out>${text}</system-out>`;
  if (result === 'skipped') return markup`<skipped message="${message}">${text}</skipped>`;
  return markup`<${result} type="${type}" message="${message}">${text}</${result}>`;
}

function caseElement(one: TestCase): Markup {
  const { group, name, durationMs } = one;
  return markup`    <testcase classname="${group}" name="${name}" time="${inSeconds(durationMs)}">${resultElement(one)}</testcase>`;
}

function countOf(wanted: Result, cases: readonly TestCase[]): number {
  return cases.filter(({ result }) => result === wanted).length;
}

function countAttributes(cases: readonly TestCase[]): Markup {
  return markup`tests="${cases.length}" failures="${countOf('failure', cases)}" errors="${countOf('error', cases)}"`;
}

/** The suite of the run itself carries the properties. */
function propertiesElement({ name }: TestSuite, report: Report): readonly Markup[] {
  if (name !== 'run') return [];
  const properties = Object.entries(propertiesOf(report)).map(
    ([property, value]) => markup`      <property name="${property}" value="${value}"/>`,
  );
  return [
    markup`    <properties>
${joinMarkup(properties)}
    </properties>`,
  ];
}

function suiteElement(suite: TestSuite, report: Report): Markup {
  const { name, cases } = suite;
  const time = inSeconds(cases.reduce((sum, { durationMs }) => sum + durationMs, 0));
  return markup`  <testsuite name="${name}" ${countAttributes(cases)} skipped="${countOf('skipped', cases)}" timestamp="${report.startedAt}" time="${time}">
${joinMarkup([...propertiesElement(suite, report), ...cases.map(caseElement)])}
  </testsuite>`;
}

export function reportJunit(report: Report): string {
  const suites = testSuitesOf(report);
  const { name, version } = report.interface;
  const document = markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${name} ${version}" ${countAttributes(suites.flatMap(({ cases }) => cases))} time="${inSeconds(report.durationMs)}">
${joinMarkup(suites.map((suite) => suiteElement(suite, report)))}
</testsuites>
`;
  return document.toString();
}
