/** A session on a server in process, and what the judge makes of all that was sent. */

import { createPetStore } from '../../../reference-server/index.ts';
import type { GapChoices } from '../../../spec/gaps.ts';
import { conformanceSuite } from '../../checks/index.ts';
import { createBudget } from '../../engine/budget.ts';
import { type Failing, type Finding, isFailing } from '../../engine/check.ts';
import { readHistory } from '../../engine/evidence/history.ts';
import { judgeHistory } from '../../engine/report/findings.ts';
import { createSession, type Session } from '../../engine/session.ts';
import type { Settings } from '../../engine/settings.ts';
import { apiKey, type Wrap } from '../../faults/fault.ts';
import { createClock, inProcess, type SteppedClock } from '../../faults/in-process.ts';
import { trialKeys, trialSettings } from '../../faults/trial.ts';

export interface Bench {
  readonly session: Session;
  readonly clock: SteppedClock;
  /** What the judge finds for a statement. */
  readonly findings: (requirement: Finding['requirement']) => readonly Finding[];
  /** The messages of what fails of a statement. */
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
    transport: inProcess(wrap(createPetStore({ keys: trialKeys, gaps }).handle), clock),
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
        .map(({ failure }: Failing) => failure.message),
  };
}
