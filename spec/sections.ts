/** The sections of the interface, in order, with their own titles. */

export const sections = [
  { id: '1', title: 'What the service does' },
  { id: '2', title: 'Resources and their fields' },
  { id: '3', title: 'States and transitions' },
  { id: '4', title: 'Endpoints' },
  { id: '4.1', title: 'List all animals' },
  { id: '4.2', title: 'Add an animal' },
  { id: '4.3', title: 'Get an animal (deprecated)' },
  { id: '4.4', title: 'Other operations' },
  { id: '5', title: 'Authentication' },
  { id: '6', title: 'Events' },
  { id: '7', title: 'Errors' },
  { id: '8', title: 'Limits' },
  { id: '9', title: 'Versioning' },
] as const;

/** The number of a section; an unknown one does not compile. */
export type SectionId = (typeof sections)[number]['id'];

/** A section as a heading, as `§4.1 List all animals`. */
export function sectionHeading(id: SectionId): string {
  return `§${id} ${sections.find((section) => section.id === id)!.title}`;
}
