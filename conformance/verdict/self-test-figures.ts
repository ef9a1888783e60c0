/** The figures of the kit's self-test; `npm run generate figures` writes it. */

export const selfTestFigures = {
  faults: 1214,
  found: 1214,
  ordinary: 518,
  within: [
    { requests: 20, found: 419 },
    { requests: 60, found: 500 },
    { requests: 300, found: 518 },
    { requests: 1000, found: 518 },
  ],
  variants: 378,
  falseFailures: 0,
} as const;
