/** Runs Pact's native verifier in a child process, and reads its results. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { stripVTControlCharacters } from 'node:util';
import type { VerifierOptions } from '@pact-foundation/pact-core';
import { UsageError } from '../../conformance/run/usage-error.ts';
import { fieldsOf, isFields, type PactFields } from '../pact.ts';

export interface NativeResult {
  readonly isPass: boolean;
  readonly isPending: boolean;
  readonly messages: readonly string[];
}

export interface NativeOutcome {
  /** In the order in which the verifier reached the states of the interactions. */
  readonly results: readonly NativeResult[];
  /** Problems that belong to no interaction, in the words of the verifier. */
  readonly errors: readonly string[];
  /** How the verifier ended, if it gave no results at all. */
  readonly crash?: string;
}

export const noOutcome: NativeOutcome = { results: [], errors: [] };

function objectsOf(value: unknown): readonly PactFields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function messageText(value: unknown): string {
  return typeof value === 'string' ? stripVTControlCharacters(value) : '';
}

const mostMessages = 20;

/** The differences between an answer and the consumer's expectation. */
function messagesOf(mismatch: unknown): readonly string[] {
  if (!isFields(mismatch)) return [];
  const differences = objectsOf(mismatch['mismatches']).map(({ mismatch: text, path, key }) => {
    const where = messageText(path) || messageText(key);
    const what = messageText(text);
    return where === '' || what.includes(where) ? what : `${where}: ${what}`;
  });
  if (differences.length > 0) return differences.slice(0, mostMessages);
  return [messageText(mismatch['message']) || 'the verifier gives no reason'];
}

/** Reads the verifier's JSON; any other text is an error, with which it ended. */
export function readOutcome(text: string): NativeOutcome {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ...noOutcome, crash: `Pact's verifier ended without results${/^exit/.test(text) ? `: ${text}` : ''}` };
  }
  const { interactionResults, errors } = fieldsOf(value);
  // The errors of an interaction have mismatches; its result has them as well.
  const apart = objectsOf(errors).filter(({ mismatch }) => !Array.isArray(fieldsOf(mismatch)['mismatches']));
  return {
    results: objectsOf(interactionResults).map(({ result, pending, mismatch }) => ({
      isPass: result === 'OK',
      isPending: pending === true,
      messages: messagesOf(mismatch),
    })),
    errors: apart.flatMap(({ mismatch }) => messagesOf(mismatch)),
  };
}

/** What the verifier needs of our environment, in which our keys are. */
const needed = /^(PATH|HOME|TMPDIR|TEMP|TMP|SYSTEMROOT)$/i;

/** Starts the verifier; throws a UsageError if its package, which is large and optional, is not installed. */
export function startVerifier() {
  try {
    import.meta.resolve('@pact-foundation/pact-core');
  } catch {
    const install = 'npm install --save-dev @pact-foundation/pact-core@20';
    throw new UsageError(`This needs a package that is not installed: ${install}`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-'));
  // For each interaction the verifier loads all certificates, which takes most of its time. It connects to this machine only.
  const certificate = join(folder, 'certificate.pem');
  writeFileSync(certificate, rootCertificates[0] ?? '');
  const child = fork(new URL(`./native${extname(import.meta.url)}`, import.meta.url), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => needed.test(name))),
      SSL_CERT_FILE: certificate,
      SSL_CERT_DIR: folder,
      NO_PROXY: '127.0.0.1',
      PACT_DO_NOT_TRACK: 'true',
    },
    execArgv: [],
  });
  const exited = once(child, 'exit').then(([code]) => `exit code ${code ?? 'unknown, since a signal ended it'}`);
  return {
    /** Runs one verification at a time; resolves without results where it is closed meanwhile. */
    async verify(options: VerifierOptions): Promise<NativeOutcome> {
      const answered = once(child, 'message').then(([text]) => String(text));
      if (child.connected) child.send(options, () => undefined);
      return readOutcome(await Promise.race([answered, exited]));
    },
    close(): void {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type Verifier = ReturnType<typeof startVerifier>;
