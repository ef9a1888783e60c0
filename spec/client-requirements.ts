/** Every requirement that the interface states for a client, in our own words, with its section. */

import { type Gap, gaps, type OpenGapId } from './gaps.ts';
import type { Level, RequirementId } from './requirements.ts';
import type { SectionId } from './sections.ts';

/** One client requirement. `id` is a slug that begins with `client` or `any`, never reused. */
export interface ClientRequirement {
  readonly id: string;
  readonly section: SectionId;
  /** `advised`: the interface says "should", or only warns; breaking it warns. */
  readonly level: Level;
  readonly text: string;
}

/** Requirements that the requests of a client show. */
const ofRequests = [
  {
    id: 'client-required-fields',
    section: '2',
    level: 'required',
    text: 'Every body of createPet is a JSON object with a name and a categoryId.',
  },
  {
    id: 'client-values-in-range',
    section: '2',
    level: 'required',
    text: 'A name is a string, a categoryId an int64, a status one of the three.',
  },
  {
    id: 'client-shown-only',
    section: '4',
    level: 'required',
    text: 'Only shown operations and parameters are used, and links that an answer named.',
  },
  {
    id: 'client-limit-in-range',
    section: '4.1',
    level: 'required',
    text: 'A limit is an integer from 1 to 100.',
  },
  {
    id: 'client-status-known',
    section: '4.1',
    level: 'required',
    text: 'A status filter is available, pending or sold.',
  },
  {
    id: 'client-sends-json',
    section: '4.2',
    level: 'required',
    text: 'A body of createPet is sent as application/json.',
  },
  {
    id: 'client-id-int64',
    section: '4.3',
    level: 'required',
    text: 'A petId is an int64, in plain digits.',
  },
  {
    id: 'client-id-exact',
    section: '4.3',
    level: 'required',
    text: 'An id is sent back with every digit that the service gave, beyond 2^53 too.',
  },
  {
    id: 'client-key-in-header',
    section: '5',
    level: 'required',
    text: 'The key is sent in the Authorization header, as Bearer, and nowhere else.',
  },
  {
    id: 'client-key-to-base-address',
    section: '5',
    level: 'required',
    text: 'The key is sent to the base address only, even if an answer leads elsewhere.',
  },
  {
    id: 'client-goes-on',
    section: '8',
    level: 'advised',
    text: 'A client that gets 429 waits and goes on.',
  },
  {
    id: 'client-waits',
    section: '8',
    level: 'advised',
    text: 'After a 429, nothing is sent before the time in Retry-After has passed.',
  },
  {
    id: 'client-backs-off',
    section: '8',
    level: 'advised',
    text: 'A client that gets 429 repeatedly waits longer each time.',
  },
  {
    id: 'client-no-hammering',
    section: '8',
    level: 'advised',
    text: 'A client that gets 429 does not send many further requests, which may get its key banned.',
  },
  {
    id: 'client-remaining',
    section: '8',
    level: 'advised',
    text: 'When X-RateLimit-Remaining is 0, nothing is sent before the limit resets.',
  },
  {
    id: 'client-deprecated',
    section: '9',
    level: 'advised',
    text: 'getPet, which is removed on 5 December 2030, is no longer used.',
  },
] as const satisfies readonly ClientRequirement[];

/** Requirements that show only when a client meets legal services that differ. */
const ofServices = [
  {
    id: 'any-json',
    section: '1',
    level: 'required',
    text: 'Works however JSON and headers are written: field order, white space, escapes, case.',
  },
  {
    id: 'any-catalogue',
    section: '1',
    level: 'required',
    text: 'Works when the catalogue has animals of other clients.',
  },
] as const satisfies readonly ClientRequirement[];

type AnyGap = `any-${OpenGapId}`;

/** The requirement to work with any answer to a gap. After an announced removal it is only advised. */
function ofGap({ id, section, question }: Gap): ClientRequirement & { readonly id: AnyGap } {
  return {
    id: `any-${id}` as AnyGap,
    section,
    level: id === 'after-removal' ? 'advised' : 'required',
    text: `Works whatever the answer is: ${question}`,
  };
}

/** The id of a client requirement; a misspelt one does not compile. */
export type ClientRequirementId = (typeof ofRequests)[number]['id'] | (typeof ofServices)[number]['id'] | AnyGap;

/** In the order of the interface. */
export const clientRequirements: readonly (ClientRequirement & { readonly id: ClientRequirementId })[] = [
  ...ofRequests,
  ...ofServices,
  ...(gaps as readonly Gap[]).filter(({ reference }) => reference !== undefined).map(ofGap),
].sort((one, other) => Number(one.section) - Number(other.section));

/** The id of a requirement for services or for clients. */
export type AnyRequirementId = RequirementId | ClientRequirementId;
