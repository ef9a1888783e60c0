/** The figures of the kit's self-test; `npm run generate figures` writes it. */

export const selfTestFigures = {
  faults: 1189,
  found: 1189,
  ordinary: 517,
  within: [
    { requests: 20, found: 415 },
    { requests: 60, found: 500 },
    { requests: 300, found: 517 },
    { requests: 1000, found: 517 },
  ],
  variants: 364,
  falseFailures: 0,
} as const;
