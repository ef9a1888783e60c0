/** What a user has to mend, as opposed to what is wrong with the target or the kit. */

/** Wrong usage or configuration: exit code 2, and the message is all that is printed. */
export class UsageError extends Error {}
