/** A session with a server in process, and the findings for everything it has sent. */

import { createTwin } from '../../../reference-server/twin/gaps.ts';
import type { GapChoices } from '../../../spec/gaps.ts';
import { trialKeys, trialSettings } from '../../proof/trial.ts';
import { createBudget } from '../../run/budget.ts';
import { judgeHistory } from '../../run/judging.ts';
import { createSession, type Session } from '../../run/session.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { createClock, inProcess, type SteppedClock } from '../../services/in-process.ts';
import { apiKey, keysOfTrials, type Wrap } from '../../services/wraps.ts';
import { type Failing, type Finding, isFailing, sentenceOf } from '../../verdict/finding.ts';
import { readHistory } from '../../world/history.ts';
import type { Settings } from '../../world/settings.ts';

export interface Bench {
  readonly session: Session;
  readonly clock: SteppedClock;
  /** The findings for a requirement. */
  readonly findings: (requirement: Finding['requirement']) => readonly Finding[];
  /** The messages of the failures of a requirement. */
  readonly failures: (requirement: Finding['requirement']) => readonly string[];
}

export interface BenchOptions {
  readonly wrap?: Wrap;
  readonly gaps?: Partial<GapChoices>;
  readonly settings?: Partial<Settings>;
}

export function createBench({
  wrap = (handle) => handle,
  gaps = {},
  settings: changes = {},
}: BenchOptions = {}): Bench {
  const clock = createClock();
  const settings = trialSettings(1_000, { maxCreates: 1_000, ...changes });
  const session = createSession({
    settings,
    keys: { api: apiKey },
    transport: inProcess(wrap(createTwin({ keys: trialKeys, gaps }).handle, keysOfTrials), clock),
    clock,
    budget: createBudget(settings.maxRequests, settings.maxCreates),
    runTag: 'abc123',
  });
  const findings = (requirement: Finding['requirement']): readonly Finding[] =>
    judgeHistory(readHistory(session.exchanges, settings), conformanceSuite).filter(
      (finding) => finding.requirement === requirement,
    );
  return {
    session,
    clock,
    findings,
    failures: (requirement) =>
      findings(requirement)
        .filter(isFailing)
        .map(({ failure }: Failing) => sentenceOf(failure)),
  };
}
