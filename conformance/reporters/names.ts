/** The names of reporters, in a file of their own, since the reporters take longer to load than everything else. */

/** Reporter name → how the name of a file ends that holds its text. */
export const reporterExtensions = {
  terminal: 'txt',
  html: 'html',
  json: 'json',
  junit: 'xml',
  markdown: 'md',
  github: 'txt',
  profile: 'yaml',
  waivers: 'yaml',
} as const;

/** The name of a reporter, as on the command line. */
export type ReporterName = keyof typeof reporterExtensions;

export const reporterNames = Object.keys(reporterExtensions) as readonly ReporterName[];
