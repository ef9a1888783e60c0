/** Verifies pacts against an in-process server on a fake clock; one native verifier serves a whole test file. */

import { trialSettings } from '../../conformance/proof/trial.ts';
import { conformanceSuite } from '../../conformance/sections/index.ts';
import { createClock, type InProcessOptions, inProcess } from '../../conformance/services/in-process.ts';
import { apiKey, limitKey, trialApiKeys } from '../../conformance/services/wraps.ts';
import type { Report, ReportedInteraction } from '../../conformance/verdict/report.ts';
import type { Settings } from '../../conformance/world/settings.ts';
import { createPetStore, type Handle } from '../../reference-server/index.ts';
import { type Pact, readPact } from '../pact.ts';
import type { Verifier } from '../verify/verifier.ts';
import { verifyPacts } from '../verify/verify-pacts.ts';

export interface Trial extends InProcessOptions {
  readonly handle?: Handle;
  readonly settings?: Partial<Settings>;
  readonly requiresAll?: true;
  readonly signal?: AbortSignal;
}

export function referenceServer(): Handle {
  return createPetStore({ keys: trialApiKeys }).handle;
}

/** A pact of version 4, unless the document names another. */
export function pactFrom(document: object): Pact {
  const fields = { consumer: { name: 'by-hand' }, metadata: { pactSpecification: { version: '4.0' } }, ...document };
  return readPact(JSON.stringify(fields), 'by-hand.json');
}

export function pactOfOne(request: object, response: object = { status: 200 }, more: object = {}): Pact {
  return pactFrom({ interactions: [{ type: 'Synchronous/HTTP', description: 'it', request, response, ...more }] });
}

export function verifyInProcess(pacts: readonly Pact[], verifier: Verifier, trial: Trial = {}): Promise<Report> {
  const { handle = referenceServer() } = trial;
  const settings = trialSettings(300, trial.settings);
  const clock = createClock();
  return verifyPacts({
    named: pacts,
    verifier,
    run: {
      suite: conformanceSuite,
      settings,
      keys: { api: apiKey, ...(settings.hasRateLimitKey && { rateLimit: limitKey }) },
      transport: inProcess(handle, clock, trial),
      clock,
      verdictOptions: { requiresAll: trial.requiresAll ?? false },
      runTag: 'abc123',
      ...(trial.signal && { signal: trial.signal }),
    },
  });
}

/** Description → verdict of the interactions that do not pass. */
export function othersThanPass(report: Report): Readonly<Record<string, ReportedInteraction['verdict']>> {
  const others = (report.interactions ?? []).filter(({ verdict }) => verdict !== 'pass');
  return Object.fromEntries(others.map(({ description, verdict }) => [description, verdict]));
}
