/** What each gap asks of the server, as a type: a choice is a value of it. */

import type { ListOrder } from './catalogue.ts';
import type { JsonValue } from './json.ts';
import type { PetStatus } from './pet.ts';
import type { LimitRules, Meter } from './rate-limit.ts';

/** What becomes of a query parameter that is not allowed: another value is used, or the request refused with a status. */
export type Instead<Value> = { readonly use: Value } | { readonly refuse: number };

type Fields = Readonly<Record<string, JsonValue>>;

/** Gap id → what the server has to know there. */
export interface Behaviour {
  readonly 'known-categories': (categoryId: bigint) => boolean;
  readonly 'name-limits': (name: string) => boolean;
  /** Opens the record of names in use, where an animal cannot have that of another. */
  readonly 'duplicate-names': () => Set<string> | undefined;
  readonly 'status-omitted': PetStatus | undefined;
  readonly 'id-form': (count: number, random: () => number) => bigint;
  readonly 'extra-response-fields': Readonly<Record<string, unknown>>;
  readonly 'limit-out-of-range': (limit: number) => Instead<number | undefined>;
  readonly 'limit-not-integer': () => Instead<number | undefined>;
  readonly 'status-filter-unknown': () => Instead<'none' | undefined>;
  readonly 'unknown-query-parameters': () => boolean;
  readonly 'list-order': ListOrder;
  /** This server has one answer to each of the next three. */
  readonly 'page-cap': undefined;
  readonly 'short-pages': undefined;
  readonly visibility: undefined;
  readonly 'later-pages': ((next: string) => Readonly<Record<string, string>>) | undefined;
  readonly 'extra-body-fields': (more: Fields) => { readonly more?: Fields } | undefined;
  readonly 'client-sent-id': (id: JsonValue) => boolean;
  readonly 'integer-written-as-decimal': (value: bigint) => boolean;
  readonly 'other-media-type': 415 | 400 | undefined;
  readonly 'location-header': (path: string) => Readonly<Record<string, string>>;
  readonly 'pet-id-not-int64': 404 | 400;
  readonly 'other-operations': 405 | 404;
  /** There is one catalogue. */
  readonly 'key-scope': undefined;
  readonly 'bearer-case': RegExp;
  readonly 'www-authenticate': Readonly<Record<string, string>>;
  readonly 'error-codes': (code: string, status: number) => string;
  readonly 'too-many-requests-body': string | undefined;
  readonly 'rate-limit-window': LimitRules;
  readonly 'rate-limit-without-key': (windowMs: number, rules: LimitRules) => () => Meter;
  /** Each key has a meter. */
  readonly 'limit-scope': undefined;
  /** A request is counted before it is looked at. */
  readonly 'refused-requests': undefined;
  readonly 'retry-after-form': (until: number, now: number) => string;
  readonly ban: number;
  readonly 'after-removal': 410 | 404 | undefined;
  readonly 'deprecation-headers': (successor: string) => Readonly<Record<string, string>>;
}
