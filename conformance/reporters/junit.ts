/** The report as JUnit XML: one test case for each statement, as CI systems show them. */

import type { Report, ReportedInteraction, ReportedRequirement } from '../engine/report.ts';
import { escapeForXml } from './escape.ts';
import { remarksOn, titleOf } from './words.ts';

function textOf({ failures, reason, ...rest }: ReportedRequirement): string {
  const reasons = failures.map(({ code, message, curl }) => `${code}: ${message}\n${curl}`);
  return [...reasons, ...(reason === undefined ? [] : [reason]), ...remarksOn({ failures, ...rest })].join('\n');
}

/** A warning does not fail a build, and neither does what is waived: both are shown as skipped, with their reason. */
function resultOf(requirement: ReportedRequirement): string {
  const { verdict, waiver, failures } = requirement;
  const text = escapeForXml(textOf(requirement));
  const message = escapeForXml(failures[0]?.message ?? requirement.reason ?? verdict);
  if (verdict === 'pass') return waiver === undefined ? '' : `<system-out>${text}</system-out>`;
  if (verdict === 'error') return `<error message="${message}">${text}</error>`;
  if (verdict === 'fail' && waiver?.state !== 'waived') {
    return `<failure type="${escapeForXml(failures[0]?.code ?? 'fail')}" message="${message}">${text}</failure>`;
  }
  return `<skipped message="${escapeForXml(waiver?.state === 'waived' ? 'waived' : verdict)}: ${message}"/>`;
}

function resultOfInteraction({ verdict, messages }: ReportedInteraction): string {
  const message = escapeForXml(messages[0] ?? verdict);
  if (verdict === 'pass') return '';
  if (verdict === 'fail') {
    return `<failure type="interaction" message="${message}">${escapeForXml(messages.join('\n'))}</failure>`;
  }
  return `<skipped message="${escapeForXml(verdict)}: ${message}"/>`;
}

function testCase(classname: string, name: string, result: string): string {
  return `    <testcase classname="${escapeForXml(classname)}" name="${escapeForXml(name)}" time="0">${result}</testcase>`;
}

export function reportJunit(report: Report): string {
  const results = [
    ...(report.interactions ?? []).map((interaction) => ({
      classname: 'pact',
      name: titleOf(interaction),
      result: resultOfInteraction(interaction),
    })),
    ...report.requirements.map((requirement) => ({
      classname: `§${requirement.section}`,
      name: `${requirement.id}: ${requirement.statement}`,
      result: resultOf(requirement),
    })),
  ];
  const count = (start: string): number => results.filter(({ result }) => result.startsWith(start)).length;
  const cases = results.map(({ classname, name, result }) => testCase(classname, name, result));
  // A run that could not judge must not look green, nor one that only an expired waiver fails.
  const isUnexplained = report.exitCode !== 0 && count('<failure') + count('<error') === 0;
  const run = isUnexplained
    ? `<error message="${escapeForXml(report.reason ?? report.verdict)}">${escapeForXml(report.reason ?? '')}</error>`
    : '';
  const all = [testCase('run', 'the run came to a verdict', run), ...cases];
  const errors = count('<error') + (isUnexplained ? 1 : 0);
  const counts = `tests="${all.length}" failures="${count('<failure')}" errors="${errors}" skipped="${count('<skipped')}"`;
  const name = escapeForXml(`${report.interface.name} ${report.interface.version}`);
  const at = `timestamp="${escapeForXml(report.startedAt)}" time="${(report.durationMs / 1000).toFixed(3)}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${name}" hostname="${escapeForXml(report.target.baseUrl)}" ${counts} ${at}>`,
    ...all,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}
