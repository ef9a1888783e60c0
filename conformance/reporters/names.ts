/** The names of reporters, apart from the reporters, which take longer to load than everything else. */

export const reporterNames = ['terminal', 'json', 'junit', 'html', 'markdown', 'github'] as const;

/** The name of a reporter, as on the command line. */
export type ReporterName = (typeof reporterNames)[number];
