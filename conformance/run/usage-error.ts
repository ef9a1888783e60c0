/** The error that a user can mend, as opposed to an error of the target or of the kit. */

/** Wrong usage or configuration. The command prints only the message and ends with 2. */
export class UsageError extends RangeError {
  override readonly name = 'UsageError';
}
