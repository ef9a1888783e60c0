/** Logs one line a request, without keys and without anything that a terminal or a log reader could take for its own. */

import { BrokenConnection, type Handle, type StoreRequest } from '../index.ts';
import { createRedactor, relativeTarget } from './journal.ts';

const longest = 200;
const shownParameters = ['limit', 'status', 'after'];

function escapeControls(text: string): string {
  const escaped = text.replace(/[^ -~]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
  return escaped.length > longest ? `${escaped.slice(0, longest)}…` : escaped;
}

/** A target without the values of parameters that the interface does not know: one of them may be a key. */
function hideValues(target: string): string {
  const [path = '', ...queries] = target.split('?');
  if (queries.length === 0) return path;
  const parameters = queries.join('?').split('&');
  const shown = parameters.map((parameter) => {
    const [name = ''] = parameter.split('=');
    return shownParameters.includes(name) || !parameter.includes('=') ? parameter : `${name}=…`;
  });
  return `${path}?${shown.join('&')}`.replaceAll('…', '...');
}

/** Wraps a handle so that it writes a line for each request; `keys` never appear in it. */
export function createLog(keys: readonly string[], basePath: string, write: (line: string) => void) {
  const redact = createRedactor(keys);
  const describe = ({ method, target, unread }: StoreRequest): string =>
    unread !== undefined && method === ''
      ? '(unreadable)'
      : escapeControls(redact(`${method} ${hideValues(relativeTarget(target, basePath))}`));
  return (handle: Handle): Handle =>
    (request, now) => {
      const line = (result: string): void => write(`${new Date(now).toISOString()} ${result} ${describe(request)}`);
      try {
        const answer = handle(request, now);
        line(String(answer.status));
        return answer;
      } catch (error) {
        if (error instanceof BrokenConnection) line('reset');
        throw error;
      }
    };
}
