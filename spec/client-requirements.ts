/** Every requirement that the interface states for a client, in our own words, with its section. */

import { removalDayInWords } from './facts.ts';
import { type Gap, gaps, type OpenGapId } from './gaps.ts';
import { pageLimitInWords, petStatusesInWords } from './operations.ts';
import { inSection, type Level, type RequirementId } from './requirements.ts';
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
  ...inSection('2', {
    'client-required-fields': 'Every body of createPet is a JSON object with a name and a categoryId.',
    'client-values-in-range': 'A name is a string, a categoryId an int64, a status one of the three.',
  }),
  ...inSection('4', {
    'client-shown-only': 'Only shown operations and parameters are used, and links that an answer named.',
  }),
  ...inSection('4.1', {
    'client-limit-in-range': `A limit is an integer ${pageLimitInWords}.`,
    'client-status-known': `A status filter is ${petStatusesInWords}.`,
  }),
  ...inSection('4.2', { 'client-sends-json': 'A body of createPet is sent as application/json.' }),
  ...inSection('4.3', {
    'client-id-int64': 'A petId is an int64, in plain digits.',
    'client-id-exact': 'An id is sent back with every digit that the service gave, beyond 2^53 too.',
  }),
  ...inSection('5', {
    'client-key-in-header': 'The key is sent in the Authorization header, as Bearer, and nowhere else.',
  }),
  ...inSection('8', {
    'client-goes-on': { level: 'advised', text: 'A client that gets 429 waits and goes on.' },
    'client-waits': {
      level: 'advised',
      text: 'After a 429, nothing is sent before the time in Retry-After has passed.',
    },
    'client-backs-off': { level: 'advised', text: 'A client that gets 429 repeatedly waits longer each time.' },
    'client-no-hammering': {
      level: 'advised',
      text: 'A client that gets 429 does not send many further requests, which may get its key banned.',
    },
  }),
  ...inSection('9', {
    'client-deprecated': {
      level: 'advised',
      text: `getPet, which is removed on ${removalDayInWords}, is no longer used.`,
    },
  }),
];

/** Requirements that show only when a client meets legal services that differ. */
const ofServices = [
  ...inSection('1', {
    'any-json': 'Works however JSON and headers are written: field order, white space, escapes, case.',
    'any-catalogue': 'Works when the catalogue has animals of other clients.',
  }),
];

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
  ...gaps.filter(({ reference }) => reference !== undefined).map(ofGap),
].sort((one, other) => Number(one.section) - Number(other.section));

/** The id of a requirement for services or for clients. */
export type AnyRequirementId = RequirementId | ClientRequirementId;
