/** The options of a run that a program gives to judge(); generated from options/option-table.ts. */

import type { ListedWaiver } from '../options/value-types.ts';

/** The options of a run, as on the command line. */
export interface RunSettings {
  /** `--base-url`: the base address; commands that send requests take it as a word (the embedded reference server; for observe, the address in the archives). */
  readonly baseUrl?: string;
  /** `--plan`: plan of the API key: free, pro, business, enterprise (not known). */
  readonly plan?: 'free' | 'pro' | 'business' | 'enterprise';
  /** `--name`: names that the target accepts, like "Pet {n}" (cf-1a2b3c-01). */
  readonly nameTemplate?: string;
  /** `--category-id`: a category that the target knows. */
  readonly categoryIds?: readonly (number | bigint)[];
  /** `--header`: sent with every request, for a gateway. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `--disposable`: the target may be damaged for good (true for a loopback address). */
  readonly isDisposable?: boolean;
  /** `--max-requests`: the most requests that the run sends (300; 1,000 if the target is disposable or its rate limit has room, and it is fast). */
  readonly maxRequests?: number;
  /** `--max-creates`: the most animals that the run creates (61; 201 with the larger budget). */
  readonly maxCreates?: number;
  /** `--read-only`: creates nothing (false). */
  readonly isReadOnly?: boolean;
  /** `--concurrency`: the most requests at a time (1). */
  readonly concurrency?: number;
  /** `--rate`: the most requests a minute (as the rate limit allows). */
  readonly ratePerMinute?: number;
  /** `--timeout`: for one exchange, milliseconds (10000). */
  readonly timeoutMs?: number;
  /** `--max-wait`: the longest single wait for a rate limit, milliseconds (75000). */
  readonly maxWaitMs?: number;
  /** `--settle`: how soon a created animal is listed and found, milliseconds (2000). */
  readonly settleMs?: number;
  /** `--deadline`: for the whole run, milliseconds (1800000). */
  readonly deadlineMs?: number;
  /** `--seed`: makes the values of the run repeatable (random). */
  readonly seed?: number;
  /** `--only`: judges only these requirements. */
  readonly only?: readonly string[];
  /** `--now`: judges as on this day (today). */
  readonly today?: Date;
  /** `--waivers`: failures that are accepted until a day (YAML). */
  readonly waivers?: readonly ListedWaiver[];
  /** `--require-all`: ends with 3 where a requirement was not judged (false). */
  readonly requiresAll?: boolean;
}
