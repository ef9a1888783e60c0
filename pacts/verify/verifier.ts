/** Runs Pact's native verifier in a child process, and reads its results. */

import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { stripVTControlCharacters } from 'node:util';
import type { VerifierOptions } from '@pact-foundation/pact-core';
import { fieldsOf, isFields, objectsOf } from '../pact.ts';

export type NativeOptions = VerifierOptions;

export interface NativeResult {
  readonly description: string;
  readonly isPass: boolean;
  readonly isPending: boolean;
  readonly messages: readonly string[];
}

export interface NativeOutcome {
  /** In the order of the pacts. */
  readonly results: readonly NativeResult[];
  /** Problems that belong to no interaction. */
  readonly errors: readonly string[];
}

const messagesShown = 20;

function textOf(value: unknown): string {
  return typeof value === 'string' ? stripVTControlCharacters(value) : '';
}

/** The differences between an answer and the consumer's expectation. */
function messagesOf(mismatch: unknown): readonly string[] {
  if (!isFields(mismatch)) return [];
  const all = objectsOf(mismatch['mismatches']);
  const shown = all.slice(0, messagesShown).map(({ mismatch: text, path, key }) => {
    const where = textOf(path) || textOf(key);
    const what = textOf(text);
    return where === '' || what.includes(where) ? what : `${where}: ${what}`;
  });
  const more = all.length > messagesShown ? [`and ${all.length - messagesShown} more`] : [];
  return shown.length > 0 ? [...shown, ...more] : [textOf(mismatch['message']) || 'the verifier gives no reason'];
}

export function readOutcome(text: string): NativeOutcome {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { results: [], errors: [text] };
  }
  const { interactionResults, errors } = fieldsOf(value);
  const results = objectsOf(interactionResults).map((one) => ({
    description: String(one['description'] ?? ''),
    isPass: one['result'] === 'OK',
    isPending: one['pending'] === true,
    messages: messagesOf(one['mismatch']),
  }));
  const apart = objectsOf(errors).filter(
    ({ mismatch }) => isFields(mismatch) && !Array.isArray(mismatch['mismatches']),
  );
  return { results, errors: apart.flatMap(({ mismatch }) => messagesOf(mismatch)) };
}

/**
 * The part of our environment that the verifier needs, without our keys. For each interaction the verifier loads all
 * certificates, which takes most of its time. It connects to this machine only, so one certificate is enough.
 */
export function environmentOf(ours: NodeJS.ProcessEnv, certificates: string): NodeJS.ProcessEnv {
  const needed = /^(PATH|HOME|TMPDIR|TEMP|TMP|SYSTEMROOT)$/i;
  return {
    ...Object.fromEntries(Object.entries(ours).filter(([name]) => needed.test(name))),
    SSL_CERT_FILE: certificates,
    SSL_CERT_DIR: dirname(certificates),
    NO_PROXY: '127.0.0.1',
    PACT_DO_NOT_TRACK: 'true',
  };
}

export function startVerifier() {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-'));
  const certificates = join(folder, 'certificate.pem');
  writeFileSync(certificates, rootCertificates[0] ?? '');
  const child = fork(new URL(`./native${extname(import.meta.url)}`, import.meta.url), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: environmentOf(process.env, certificates),
    execArgv: [],
  });
  return {
    /** Runs one verification at a time. Resolves with undefined if the signal aborts it. */
    verify(options: NativeOptions, signal: AbortSignal): Promise<NativeOutcome | undefined> {
      const { promise, resolve } = Promise.withResolvers<NativeOutcome | undefined>();
      const fail = (error: string): void => resolve({ results: [], errors: [error] });
      const answered = (text: unknown): void => resolve(readOutcome(String(text)));
      const exited = (code: number | null): void =>
        fail(`Pact's verifier ended with ${code ?? 'a signal'} and gave no results`);
      const stop = (): void => {
        child.kill('SIGKILL');
        resolve(undefined);
      };
      if (signal.aborted) stop();
      else if (!child.connected) exited(child.exitCode);
      else {
        child.once('message', answered).once('exit', exited);
        signal.addEventListener('abort', stop, { once: true });
        child.send(options, (error) => error && fail(error.message));
      }
      return promise.finally(() => {
        child.off('message', answered).off('exit', exited);
        signal.removeEventListener('abort', stop);
      });
    },
    close: () => {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Verifier = Pick<ReturnType<typeof startVerifier>, 'verify' | 'close'>;
