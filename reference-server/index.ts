/** The public surface of the reference server. */

export type { StoreResponse } from './answer.ts';
export { gapChoices, surprise } from './choices.ts';
export { parseJson, stringifyJson } from './json.ts';
export type { ApiKey } from './keys.ts';
export { type Listening, type ListenOptions, listen } from './listen.ts';
export type { NewPet, PetStatus } from './pet.ts';
export { createPetStore, type Handle, type PetStore, type PetStoreOptions } from './pet-store.ts';
export type { StoreRequest, Unread } from './request.ts';
export type { Timeouts } from './timeouts.ts';
