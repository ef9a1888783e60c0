/** The library that records pacts, loaded so that it does not report its use to its makers. */

process.env['PACT_DO_NOT_TRACK'] = 'true';
export const { MatchersV3, PactV4 } = await import('@pact-foundation/pact');
