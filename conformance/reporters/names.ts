/** The names of reporters, in a file of their own, since the reporters take longer to load than everything else. */

export const reporterNames = ['terminal', 'html', 'json', 'junit', 'markdown', 'github', 'profile', 'waivers'] as const;

/** The name of a reporter, as on the command line. */
export type ReporterName = (typeof reporterNames)[number];
