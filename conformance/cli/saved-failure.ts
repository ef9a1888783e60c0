/** Finds the requests in a report that showed a failure, to send them again. */

import { operationOf } from '../../spec/operations.ts';
import { readPetId } from '../http/read-request.ts';
import { unknownPath } from '../sections/gap-probes.ts';
import { requiredCreations } from '../verdict/counterexample.ts';
import type { Report, ReportedExchange, ReportedFailure } from '../verdict/report.ts';

/** A report of the kit needs fewer steps: more are not the kit's, and would take too long. */
const mostSteps = 100;

export interface SavedFailure {
  readonly steps: readonly ReportedExchange[];
  /** The creations of the animals that the requests ask for. */
  readonly foundations: readonly ReportedExchange[];
}

/**
 * Whether a request is one that the kit sends: one of an operation, or one of the few others (§4.4). A report is a
 * stranger's file, so no other request carries the key, whatever path it names.
 */
function isKitRequest({ operation, request }: ReportedExchange): boolean {
  const { method, target } = request;
  const base = new URL('http://target/v1');
  const url = new URL(base.href + target);
  const path = url.pathname.slice(base.pathname.length);
  // A path that a URL would resolve differently, such as /pets/.., is not sent.
  const isPlain = target.startsWith('/') && url.origin === base.origin && target.split(/[?#]/)[0] === path;
  if (!isPlain || !url.pathname.startsWith(base.pathname)) return false;
  const asked = operationOf(method, path);
  if (asked !== 'other') return asked === operation;
  if (operation !== 'other') return false;
  // The kit asks for one unknown path, and sends another method to an animal.
  if (method === 'GET') return path === unknownPath;
  return method === 'POST' && operationOf('GET', path) === 'getPet' && typeof readPetId({ request }) === 'bigint';
}

/** The requests of a failure of the requirement `id`; undefined where they cannot be sent again. */
export function findSteps({ exchanges }: Report, failure: ReportedFailure): SavedFailure | undefined {
  const sequence = failure.sequence ?? failure.exchanges;
  const steps = sequence.flatMap((number) => exchanges.find((one) => one.number === number) ?? []);
  if (sequence.length === 0 || sequence.length > mostSteps || steps.length < sequence.length) return undefined;
  const foundations = requiredCreations(steps, exchanges);
  // A key to exhaust takes the whole scenario.
  const isSent = (step: ReportedExchange): boolean => isKitRequest(step) && step.credentialId !== 'rate-limit-key';
  return [...foundations, ...steps].every(isSent) ? { steps, foundations } : undefined;
}
