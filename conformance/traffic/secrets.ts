/** Keys that pass in traffic: collected as they are met, so that no evidence holds one, wherever it is echoed. */

import { canBeRedacted, isSecretName, type Redact, redactor } from '../http/redact.ts';
import type { Headers } from './captured-exchange.ts';

export interface Secrets {
  /** Takes note of the keys in headers and in the query. */
  readonly note: (headers: Headers, target: string) => void;
  readonly redact: Redact;
}

/** As many keys as traffic of a team has; the oldest are forgotten beyond that. */
const mostKept = 64;
/** What is shorter may be any word, and a text of a body must not change for it. Headers are hidden whatever they hold. */
const shortestKey = 8;

/** The parts of a header that a target could echo: behind its scheme, in its cookies, as user and password. */
function secretsIn(value: string): readonly string[] {
  const parts = value.split(/[\s;,]+/).flatMap((part) => [part, part.replace(/^[^=]*=/, '')]);
  const basic = /^Basic\s+(\S+)$/i.exec(value)?.[1];
  const userAndPassword = basic === undefined ? [] : Buffer.from(basic, 'base64').toString().split(':');
  return [...parts, ...userAndPassword];
}

function secretsInQuery(target: string): readonly string[] {
  const query = new URLSearchParams(target.split('?')[1] ?? '');
  return [...query].flatMap(([name, value]) => (isSecretName(name) ? [value] : []));
}

export function createSecrets(known: readonly string[]): Secrets {
  const met = new Set<string>();
  let redact = redactor(known);
  return {
    note(headers, target) {
      const inHeaders = Object.entries(headers).flatMap(([name, value]) =>
        isSecretName(name) ? secretsIn(value) : [],
      );
      const all = [...inHeaders, ...secretsInQuery(target)];
      const found = all.filter((secret) => secret.length >= shortestKey && canBeRedacted(secret) && !met.has(secret));
      if (found.length === 0) return;
      for (const secret of found) met.add(secret);
      for (const secret of [...met].slice(0, -mostKept)) met.delete(secret);
      redact = redactor([...known, ...met]);
    },
    redact: (text) => redact(text),
  };
}
