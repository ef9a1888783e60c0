/** The provider states that pacts with the Pet Store Service Interface may name, with their parameters. */

/** One provider state, identified by its name. */
export interface ProviderState {
  readonly name: string;
  /** The meaning of each parameter; all are optional. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The values that the state injects, by the name to use in `fromProviderState`. */
  readonly injects?: Readonly<Record<string, string>>;
  /** How a verification reaches the state, using only operations of the interface. */
  readonly reachedBy: string;
}

/** The service's name in every pact that the kit records. */
export const providerName = 'pet-store';

/** Every state that a verification can reach through the interface. */
export const providerStates = {
  animalExists: {
    name: 'an animal exists',
    parameters: {
      name: 'its name, a plain one of its own when left out',
      categoryId: 'its category, one that the service knows when left out',
      status: 'available, pending or sold; none is sent when left out',
    },
    injects: {
      id: 'its id; as text where it is larger than a number of JavaScript can hold',
      name: 'its name',
      categoryId: 'its category, in the form of the id',
    },
    reachedBy: 'createPet',
  },
  animalsExist: {
    name: 'animals exist',
    parameters: { count: 'how many, at most 20; 2 when left out', status: 'of all of them' },
    reachedBy: 'createPet, once for each',
  },
  animalCanBeCreated: {
    name: 'an animal can be created',
    injects: {
      name: 'a name that no animal has, with the tag of the run',
      categoryId: 'a category that the service knows',
    },
    reachedBy: 'no request: --category-id names a category, else it is that of a listed animal, else 1',
  },
  noAnimalHasId: {
    name: 'no animal has this id',
    injects: { id: 'an id that getPet answers with 404, as text where it is large' },
    reachedBy: 'getPet with drawn ids until one answers 404',
  },
  keyMissing: {
    name: 'the API key is missing',
    reachedBy: 'the request is sent without an Authorization header',
  },
  keyInvalid: {
    name: 'the API key is invalid',
    reachedBy: 'the request is sent with a key that was never issued',
  },
  limitExceeded: {
    name: 'the rate limit is exceeded',
    reachedBy: 'listPets with a key that may be exhausted, until it is; not verifiable without such a key',
  },
} as const satisfies Record<string, ProviderState>;
