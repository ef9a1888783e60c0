/** The names of reporters and formats, apart from the reporters, which take longer to load than everything else. */

export const reporterNames = [
  'terminal',
  'json',
  'junit',
  'html',
  'markdown',
  'github',
  'gitlab',
  'har',
  'ctrf',
  'badge',
  'attestation',
] as const;

/** The name of a reporter, as on the command line. */
export type ReporterName = (typeof reporterNames)[number];

export const comparisonFormats = ['terminal', 'markdown', 'json', 'html'] as const;
export type ComparisonFormat = (typeof comparisonFormats)[number];
