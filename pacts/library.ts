/** The library of Pact for consumers. It reports its use unless it is told not to before it is loaded: here alone. */

process.env['PACT_DO_NOT_TRACK'] = 'true';

export const { MatchersV3, PactV4 } = await import('@pact-foundation/pact');
