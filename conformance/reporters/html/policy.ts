/** The content security policy of a page: it loads and sends nothing, and runs only its own script and style. */

import { hash } from 'node:crypto';
import type { Markup } from '../markup.ts';

/** The source expression of a script or a style sheet. */
function hashOf(source: Markup): string {
  return `'sha256-${hash('sha256', source.toString(), 'base64')}'`;
}

/** The policy for a page with this style sheet, and with this script where there is one. */
export function policyFor(style: Markup, script?: Markup): string {
  return [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
