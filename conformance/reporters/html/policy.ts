/** The policy of a page: it loads nothing, sends nothing, and of scripts and styles only our own take effect. */

import { createHash } from 'node:crypto';
import type { Markup } from '../markup.ts';

/** What a policy calls a script or a style sheet by. */
function hashOf(source: Markup): string {
  return `'sha256-${createHash('sha256').update(source.toString()).digest('base64')}'`;
}

/** For a page with this style sheet and, where there is one, this script. */
export function policyFor(style: Markup, script?: Markup): string {
  return [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
