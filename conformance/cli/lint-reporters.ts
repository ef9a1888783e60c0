/** Renders the remarks of `pact lint` in every format. */

import { isOfClient, type Remark, showRemark } from '../../pacts/lint/lint-pact.ts';
import { escapeForTerminal, escapeLines, shorten } from '../reporters/escape.ts';
import { annotationCommand } from '../reporters/github.ts';
import { showSuites, type TestCase } from '../reporters/junit.ts';
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
const nothing = 'claims only what the interface states';

function lineOf(remark: Remark): string {
  return shorten(showRemark(remark), longestRemark);
}

function showForTerminal({ pacts, unreadable }: LintResult): string {
  const lines = pacts.flatMap(({ origin, remarks }) => {
    const texts = remarks.length === 0 ? [nothing] : remarks.map(lineOf);
    return texts.map((text) => `${origin}: ${text}`);
  });
  return [...lines, ...unreadable.map(({ message }) => message)].map((line) => `${escapeForTerminal(line)}\n`).join('');
}

function showForGithub({ pacts, unreadable }: LintResult): string {
  const problems = unreadable.map(({ origin: file, message }) => {
    return { kind: 'error', file, title: 'pact lint', lines: [message] } as const;
  });
  const remarks = pacts.flatMap(({ origin: file, remarks: own }) =>
    own.map((remark) => {
      // Another service may answer as the pact claims.
      const isOpen = remark.code === 'claim-left-open' || remark.code === 'state-unreachable';
      const title = `pact lint ${remark.code}`;
      return { kind: isOpen ? 'warning' : 'error', file, title, lines: [lineOf(remark)] } as const;
    }),
  );
  return [...problems, ...remarks].map(annotationCommand).join('');
}

function showAsJunit({ pacts, unreadable }: LintResult): string {
  const caseOf = (group: string, name: string, rest: Pick<TestCase, 'result' | 'type'>, message = ''): TestCase => {
    return { group, name, message, lines: message === '' ? [] : [message], ...rest };
  };
  const linted = pacts.map(({ origin, consumer, remarks }) => {
    const cases = remarks.map((remark) => {
      const failure = { result: 'failure', type: isOfClient(remark) ? 'client' : 'claim' } as const;
      return caseOf(origin, `${remark.interaction}: ${remark.code}`, failure, lineOf(remark));
    });
    const passed = caseOf(origin, nothing, { result: 'passed', type: '' });
    return { name: `${consumer} (${origin})`, cases: cases.length === 0 ? [passed] : cases };
  });
  const problems = unreadable.map(({ origin, message }) => {
    return {
      name: origin,
      cases: [caseOf(origin, 'is a readable pact', { result: 'error', type: 'unreadable' }, message)],
    };
  });
  return showSuites('pact lint', [...linted, ...problems]);
}

export const showLintAs = {
  terminal: showForTerminal,
  json: (result: LintResult) => `${escapeLines(JSON.stringify(result, null, 2))}\n`,
  github: showForGithub,
  junit: showAsJunit,
} as const satisfies Partial<Record<ReporterName, (result: LintResult) => string>>;
