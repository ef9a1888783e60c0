/** The public surface of the reference server. */

export { gapChoices, referenceChoices, surprise } from './choices.ts';
export type { ApiKey, Plan } from './keys.ts';
export { type Listening, type ListenOptions, listen } from './listen.ts';
export type { NewPet, PetStatus } from './new-pet.ts';
export {
  createPetStore,
  type Handle,
  maxBodyBytes,
  type PetStore,
  type PetStoreOptions,
  type StoreRequest,
  type StoreResponse,
} from './pet-store.ts';
