/** A run without an address judges the embedded server, which always conforms. In a gate this would be green for nothing. */

import { UsageError } from '../run/usage-error.ts';

/** The beginning of a variable of the kit, and of one that is misspelt. */
export const beginningOfVariable = /^pet_?store_/i;

/** CI systems set CI; a developer may have switched it off. */
function isInCi({ CI: value = '' }: NodeJS.ProcessEnv): boolean {
  return !['', '0', 'false'].includes(value.toLowerCase());
}

/** What makes a run look like a gate, by its environment: the words of a sentence; undefined if nothing does. */
export function signOfGate(environment: NodeJS.ProcessEnv): string | undefined {
  const variable = Object.keys(environment).find((name) => beginningOfVariable.test(name));
  if (variable !== undefined) return `${variable} is set`;
  return isInCi(environment) ? 'CI is set' : undefined;
}

/** The options that decide whether the embedded server is judged. */
interface AddressOptions {
  readonly baseUrl?: string;
  readonly isEmbedded?: boolean;
}

/**
 * Throws a UsageError for a run that has no address and has not asked for the embedded server by name, where `sign` says
 * that it may be a gate. `advice` says how an address is given, and `byName` how the embedded server is asked for.
 */
export function requireAddress(
  { baseUrl, isEmbedded }: AddressOptions,
  sign: string | undefined,
  { advice, byName }: { readonly advice: string; readonly byName: string },
): void {
  if (baseUrl !== undefined || isEmbedded === true) return;
  if (isEmbedded === undefined && sign === undefined) return;
  if (isEmbedded === false) throw new UsageError(`No base address is given: ${advice}.`);
  throw new UsageError(
    `No base address is given, and ${sign}: ${advice}. ${byName} judges the embedded reference server.`,
  );
}
