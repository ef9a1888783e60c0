/** Finds the requests in a report that showed a failure, to send them again. */

import { operationOf } from '../../spec/operations.ts';
import { readPetId } from '../http/read-request.ts';
import { escapeForTerminal, shorten } from '../reporters/escape.ts';
import { unknownPath } from '../sections/probes.ts';
import { requiredCreations } from '../verdict/counterexample.ts';
import type { Report, ReportedExchange, ReportedFailure } from '../verdict/report.ts';

/** A report of the kit needs fewer steps: more are not the kit's, and would take too long. */
const mostSteps = 100;

export interface SavedFailure {
  readonly steps: readonly ReportedExchange[];
  /** The creations of the animals that the requests ask for. */
  readonly foundations: readonly ReportedExchange[];
  /** The position among the steps of the one whose answer broke the requirement. */
  readonly shownBy: number;
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

/** The requests of a failure of the requirement `id`, or a sentence that says why they cannot be sent again. */
export function findSteps(
  { exchanges }: Report,
  file: string,
  id: string,
  failure: ReportedFailure,
): SavedFailure | string {
  const sequence = failure.sequence ?? failure.exchanges;
  if (Math.max(sequence.length, failure.exchanges.length) > mostSteps) {
    return `The failure of ${id} in ${file} takes more than ${mostSteps} exchanges: that is no sequence.`;
  }
  if (sequence.length === 0) return `${file} names no exchange for the failure of ${id}.`;
  const byNumber = new Map(exchanges.map((exchange) => [exchange.number, exchange]));
  const missing = sequence.find((number) => !byNumber.has(number));
  if (missing !== undefined) {
    return `${file} holds no exchange ${missing}, which the failure of ${id} needs: was it cut out?`;
  }
  const steps = sequence.map((number) => byNumber.get(number)!);
  if (steps.some(({ credentialId }) => credentialId === 'rate-limit-key')) {
    return `A failure of ${id} takes a key to exhaust: judge it again with run --only ${id}.`;
  }
  const foundations = requiredCreations(steps, exchanges);
  const foreign = [...foundations, ...steps].find((step) => !isKitRequest(step));
  if (foreign !== undefined) {
    const { method, target } = foreign.request;
    const shown = shorten(escapeForTerminal(`${method} ${target}`), 80);
    return `Exchange ${foreign.number} of ${file} is not a request of the kit (${shown}): nothing was sent.`;
  }
  return { steps, foundations, shownBy: sequence.indexOf(Math.max(...failure.exchanges)) };
}
