/** Why a run ended early or came to no verdict: a code with the values of its sentence, and the sentences; counts in words. */

const sentences = {
  // Its user, or its limits, ended the run.
  interrupted: 'The run was interrupted.',
  deadline: 'The deadline of {seconds} s has passed.',
  'wait-too-long': 'The target wants a wait of {seconds} s ({why}), longer than --max-wait {most}.',
  'refused-in-a-row': 'The target answered 429 {count} times in a row; a ban of the key is at stake.',
  // The target cannot be judged.
  'service-ended': 'The command of --start has ended ({ending}). {printed}',
  unreachable: 'The target could not be reached ({error}): check the base address and that the service runs.',
  'not-http': 'The target does not speak HTTP ({error}): check the base address and that the service runs.',
  unreadable: 'The target gave no answer that can be read ({error}): check the base address and that the service runs.',
  'no-answer-in-time':
    'The target gave {error}: raise --timeout if it or a gateway needs longer, and check the base address and that the service runs.',
  'maybe-https':
    'The target gave no answer that can be read ({error}): check the base address (does it begin with https://?) and that the service runs.',
  'gateway-answers': 'The target is out of service: a gateway answers {status}. Check that the service behind it runs.',
  outage: 'The target is out of service: for at least {seconds} s {answers}.',
  'answers-ceased':
    'The target left {count} requests without an answer in time, while it answered others: further ones would take as long. --timeout allows each request more.',
  'key-unknown':
    'The target refused the API key with 401: check that the key is one of this environment, and the base address.',
  'key-forbidden': 'The target refused the API key with 403: check that its scope allows to list animals.',
  'key-expired': 'The API key was accepted up to request {number} and is refused with 401 since: has it expired?',
  'key-blocked':
    'The API key was accepted up to request {number}, and listings are refused with 403 since: has a firewall or the service banned it?',
  'operation-unserved': 'No request of {operation} was served with the API key ({answers}): {advice}.',
  'other-interface': 'Nothing here answers as the interface does (a listing got {answer}): {advice}.',
  'interface-unseen': 'The kit cannot tell whether this is the interface, and {why}.',
  // There is too little to judge.
  'requests-unanswered':
    '{count} of {requests} requests got no answer: check the network and any proxy, and raise --timeout if answers take longer',
  'too-many-outages':
    '{count} of {requests} answers came from a gateway or not at all, more than --max-outages {most} allows',
  'requirement-unjudged': '{id} could not be judged: {why}',
  'traffic-empty': 'The traffic holds no exchange below the base address.',
  'traffic-left-out': 'Nothing of the traffic below the base address can be judged: {entries}.',
  'check-broke': 'a check of {id} broke: {error}',
  // Clients, pacts and waivers.
  'client-fails-anyway':
    'The client fails with the reference server already: {ending}. Try it by hand: petstore-server --service reference.',
  'client-silent': 'The client sent no request to the service, whose address is in PETSTORE_BASE_URL.',
  'client-heedless':
    'The client ends well where every answer is 501, and where it is 200: it looks at none, so its end shows nothing.',
  'broker-failed': 'The broker {problem}.',
  'nothing-to-verify': 'there was no interaction to verify',
  'interaction-unverified': '"{title}" could not be verified: {why}',
  'interaction-overclaims':
    'no requirement fails, so a failed interaction may claim more than the interface states: pact lint shows it',
  'waiver-expired': 'the waiver of {id} expired on {date}: remove or renew it',
} as const;

type Names<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type ReasonValues<Code extends ReasonCode> = Readonly<Record<Names<(typeof sentences)[Code]>, string | number>>;

export type ReasonCode = keyof typeof sentences;

export interface Reason {
  readonly code: ReasonCode;
  /** The values in the sentence, by name. */
  readonly values: Readonly<Record<string, string | number>>;
}

export const reasonCodes = Object.keys(sentences) as readonly ReasonCode[];

export function reason<Code extends ReasonCode>(code: Code, values: ReasonValues<Code>): Reason {
  return { code, values };
}

/** Why a signal aborted: the reason that it was given, or else that the user interrupted the run. */
export function reasonOf({ reason: given }: Pick<AbortSignal, 'reason'>): Reason {
  return reasonCodes.includes(given?.code) ? given : reason('interrupted', {});
}

/** The sentence of a reason; undefined if there is none. */
export function reasonInWords(given: Reason | undefined): string | undefined {
  return given && sentences[given.code].replace(/\{(\w+)\}/g, (_, name: string) => String(given.values[name] ?? ''));
}

/** A number with the word for so many things, such as "1 request" and "2 requests". */
export function counted(count: number, one: string, more = `${one}s`): string {
  return `${count} ${count === 1 ? one : more}`;
}
