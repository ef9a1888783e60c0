/** Leaves undefined members out of an object, since an optional member must be absent, not undefined. */

/** The type of an object whose possibly undefined members became optional. */
export type Defined<Members extends object> = {
  [Name in keyof Members as undefined extends Members[Name] ? never : Name]: Members[Name];
} & {
  [Name in keyof Members as undefined extends Members[Name] ? Name : never]?: Exclude<Members[Name], undefined>;
};

/** A copy without the members that are undefined; enumerable own members only. */
export function defined<const Members extends object>(members: Members): Defined<Members> {
  // Every exchange passes here several times, and a loop over the names makes no list of pairs.
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(members)) {
    const value = (members as Record<string, unknown>)[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept as Defined<Members>;
}
