/** Renders the remarks of `pact lint` in every format. */

import { isOfClient, type Remark, showRemark } from '../../pacts/lint/lint-pact.ts';
import { escapeForTerminal, escapeLines, shorten } from '../reporters/escape.ts';
import { annotationCommand } from '../reporters/github.ts';
import { joinMarkup, markup } from '../reporters/markup.ts';
import type { ReporterName } from '../reporters/names.ts';
import type { UnreadableOrigin } from './read-pacts.ts';

export interface LintedPact {
  readonly origin: string;
  readonly consumer: string;
  readonly remarks: readonly Remark[];
}

export interface LintResult {
  readonly pacts: readonly LintedPact[];
  readonly unreadable: readonly UnreadableOrigin[];
}

const longestRemark = 1_000;

function lineOf(remark: Remark): string {
  return shorten(showRemark(remark), longestRemark);
}

function showForTerminal({ pacts, unreadable }: LintResult): string {
  const lines = pacts.flatMap(({ origin, remarks }) => {
    const texts = remarks.length === 0 ? ['claims only what the interface states'] : remarks.map(lineOf);
    return texts.map((text) => `${origin}: ${text}`);
  });
  return [...lines, ...unreadable.map(({ message }) => message)].map((line) => `${escapeForTerminal(line)}\n`).join('');
}

/** Whether another service may answer as the pact claims. */
function isOpen({ code }: Remark): boolean {
  return code === 'claim-left-open' || code === 'state-unreachable';
}

function showForGithub({ pacts, unreadable }: LintResult): string {
  const remarks = pacts.flatMap(({ origin, remarks: all }) =>
    all.map((remark) => ({
      kind: isOpen(remark) ? ('warning' as const) : ('error' as const),
      file: origin,
      title: `pact lint ${remark.code}`,
      lines: [lineOf(remark)],
    })),
  );
  const problems = unreadable.map(({ origin, message }) => ({
    kind: 'error' as const,
    file: origin,
    title: 'pact lint',
    lines: [message],
  }));
  return [...problems, ...remarks].map(annotationCommand).join('');
}

function showAsJunit({ pacts, unreadable }: LintResult): string {
  const suites = pacts.map(({ origin, consumer, remarks }) => {
    const cases = remarks.map((remark) => {
      const line = lineOf(remark);
      return markup`    <testcase classname="${origin}" name="${remark.interaction}: ${remark.code}"><failure type="${isOfClient(remark) ? 'client' : 'claim'}" message="${line}">${line}</failure></testcase>`;
    });
    const passed = markup`    <testcase classname="${origin}" name="claims only what the interface states"/>`;
    return markup`  <testsuite name="${consumer} (${origin})" tests="${Math.max(cases.length, 1)}" failures="${cases.length}" errors="0">
${joinMarkup(cases.length === 0 ? [passed] : cases)}
  </testsuite>`;
  });
  const problems = unreadable.map(
    ({ origin, message }) => markup`  <testsuite name="${origin}" tests="1" failures="0" errors="1">
    <testcase classname="${origin}" name="is a readable pact"><error type="unreadable" message="${message}">${message}</error></testcase>
  </testsuite>`,
  );
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="pact lint">
${joinMarkup([...suites, ...problems])}
</testsuites>
`.toString();
}

export const showLintAs = {
  terminal: showForTerminal,
  json: (result: LintResult) => `${escapeLines(JSON.stringify(result, null, 2))}\n`,
  github: showForGithub,
  junit: showAsJunit,
} as const satisfies Partial<Record<ReporterName, (result: LintResult) => string>>;
