/** The provider states that pacts with the Pet Store Service Interface may name; README.md says what each takes and brings. */

/** The service's name in every pact that the kit records. */
export const providerName = 'pet-store';

/** Every state that a verification can reach through the interface. */
export const providerStates = {
  animalExists: 'an animal exists',
  animalsExist: 'animals exist',
  animalCanBeCreated: 'an animal can be created',
  noAnimalHasId: 'no animal has this id',
  keyMissing: 'the API key is missing',
  keyInvalid: 'the API key is invalid',
  limitExceeded: 'the rate limit is exceeded',
} as const;
