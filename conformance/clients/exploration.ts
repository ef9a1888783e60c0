/** Explores with which legal services a client fails: each failure is confirmed, and narrowed to the variations it needs. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import { refusalRows } from '../sections/client-checks/8-waits.ts';
import type { BudgetedRunner, RunnerOptions } from './budgeted-runner.ts';
import type { ClientRun } from './client-run.ts';
import { answersDifferently } from './compared-answers.ts';
import { narrow } from './narrow.ts';
import { categoryIn, noHabits } from './serve-variant.ts';
import {
  type ClientHabits,
  type ServiceVariant,
  type UsualRequest,
  type Variation,
  variantWith,
} from './service-variant.ts';
import { fullCatalogue, otherAnimals } from './variations/forms.ts';
import { drawCombination, isCombinable, plainVariations } from './variations/index.ts';
import { lateLimits, limitForms, limitsOfPatience, nothingRemains, plainLimits } from './variations/rate-limits.ts';

export interface CompatibilityOptions extends RunnerOptions {
  /** Only variations of these requirements; all if undefined. */
  readonly only?: ReadonlySet<ClientRequirementId>;
  /** The answers to gaps that the services in question are known to give: no service variant answers these differently. */
  readonly profile?: Readonly<Record<string, string>>;
  readonly seed: number;
}

/** Variations that break a client: one alone, or several only together. */
export interface Breakage {
  readonly variations: readonly Variation[];
  readonly run: ClientRun;
  /** Whether the client passed with them as well. */
  readonly isFlaky: boolean;
}

/** A run that failed, and why nothing can be concluded from it. */
export interface UnexplainedRun {
  readonly run: ClientRun;
  readonly why: 'passed-again' | 'fails-without' | 'not-confirmed';
}

/** Requests with a key, each as the first, second, … of its operation. */
function usualRequests({ exchanges }: ClientRun): readonly UsualRequest[] {
  const counts = new Map<string, number>();
  return exchanges
    .filter(({ credential }) => credential.kind === 'valid')
    .map(({ operation }) => {
      const nth = (counts.get(operation) ?? 0) + 1;
      counts.set(operation, nth);
      return { operation, nth };
    });
}

function longestPause(runs: readonly ClientRun[]): number {
  const pauses = runs.flatMap(({ exchanges }) =>
    [...refusalRows(exchanges)].flatMap((row) => row.slice(1).map((next, at) => next.startedAt - row[at]!.endedAt)),
  );
  return Math.max(0, ...pauses);
}

function isBroken({ isPassed, variant }: ClientRun): boolean {
  return !isPassed && !variant.variations.some(({ isOutcomeOpen }) => isOutcomeOpen);
}

/** Draws without a new combination that end the search for one. */
const mostIdleDraws = 20;

export class Exploration {
  readonly breakages: Breakage[] = [];
  readonly unexplained: UnexplainedRun[] = [];
  readonly indistinguishable: Variation[] = [];
  givesUpAt: readonly Variation[] = [];
  isDisturbedByItself = false;
  readonly #options: CompatibilityOptions;
  readonly #runner: BudgetedRunner;
  #habits: ClientHabits = noHabits;
  /** The run that all others are compared with: among animals of other clients, if the client passes there. */
  #base: ClientRun;

  constructor(options: CompatibilityOptions, runner: BudgetedRunner, reference: ClientRun) {
    this.#options = options;
    this.#runner = runner;
    this.#base = reference;
  }

  #isWanted(variation: Variation): boolean {
    const { only, profile = {} } = this.#options;
    const { requirement, answer } = variation;
    const known = answer && profile[answer.gap];
    // Where a size is known, the base service has it, and no other one is in question.
    return (only?.has(requirement) ?? true) && (known === undefined || known === answer?.id);
  }

  #variantWith(all: readonly Variation[]): ServiceVariant {
    const { hasOtherAnimals, gaps } = this.#base.variant;
    return { ...variantWith(all, hasOtherAnimals), ...defined({ gaps }) };
  }

  #isDistinguishable = (variation: Variation): boolean => {
    const categoryId = categoryIn(this.#base.variant);
    const context = { ...this.#habits, categoryId, otherHost: 'http://localhost:9/v1' };
    const isDifferent = answersDifferently(this.#variantWith([variation]), this.#base.compared, context);
    if (!isDifferent) this.indistinguishable.push(variation);
    return isDifferent;
  };

  /** Runs the client with animals of other clients: twice at a time, to learn whether it disturbs itself. */
  async chooseBase(): Promise<void> {
    const reference = this.#base.variant;
    const variant = { ...variantWith([otherAnimals]), ...defined({ gaps: reference.gaps }) };
    const isConcurrent = this.#runner.concurrency() > 1;
    const first = await this.#runner.runAll(isConcurrent ? [variant, variant] : [variant], noHabits);
    const failed = first.find(({ isPassed }) => !isPassed);
    const passed = first.find(({ isPassed }) => isPassed);
    if (failed === undefined) this.#base = passed ?? this.#base;
    else if (isConcurrent && (passed !== undefined || (await this.#passesAlone(variant)))) {
      this.#goOnOneAtATime();
      this.#base = this.#runner.runs.find((run) => run.isPassed && run.variant === variant)!;
    } else if (this.#isWanted(otherAnimals)) await this.#confirm(failed, reference);
    this.#habits = { ...this.#habits, usual: usualRequests(this.#base) };
  }

  async #passesAlone(variant: ServiceVariant): Promise<boolean> {
    return (await this.#runner.run(variant, this.#habits))?.isPassed ?? false;
  }

  #goOnOneAtATime(): void {
    this.isDisturbedByItself = true;
    this.#runner.goOnOneAtATime();
  }

  /** Runs every variation alone, then the forms of a 429 at a request that the client repeats. */
  async exploreSingly(): Promise<void> {
    const isOfLimits = [...plainLimits, ...limitForms].some((variation) => this.#isWanted(variation));
    const { hasOtherAnimals } = this.#base.variant;
    const plain = [...plainVariations, nothingRemains]
      .filter((variation) => this.#isWanted(variation))
      // A client that does not work with some animals of other clients does not work with many.
      .filter((variation) => hasOtherAnimals || variation !== fullCatalogue);
    const first = [...plain, ...(isOfLimits ? [...plainLimits, ...lateLimits] : [])].filter(this.#isDistinguishable);
    const runs = await this.#runner.runAll(
      first.map((variation) => this.#variantWith([variation])),
      this.#habits,
    );
    const later = this.#habitsAfter(runs);
    const forms = [...limitForms, ...limitsOfPatience].filter((variation) => this.#isWanted(variation));
    const formRuns = later === undefined ? [] : await this.#runForms(forms, later, runs.filter(isBroken).length);
    await this.#confirmAll([...runs, ...formRuns]);
  }

  /** The habits with a request that is repeated after a plain 429; undefined if the client repeats none. */
  #habitsAfter(runs: readonly ClientRun[]): ClientHabits | undefined {
    const repeated = runs.find(({ variant, isPassed }) => isPassed && /^429 to /.test(variant.id));
    const operation = repeated?.variant.id.slice('429 to '.length);
    const request = this.#habits.usual.find((one) => one.operation === operation);
    return request && { ...this.#habits, repeated: request, longestPauseMs: longestPause(runs) };
  }

  #runForms(forms: readonly Variation[], habits: ClientHabits, unconfirmed: number): Promise<readonly ClientRun[]> {
    this.#habits = habits;
    const variants = forms.filter(this.#isDistinguishable).map((variation) => this.#variantWith([variation]));
    return this.#runner.runAll(variants, habits, unconfirmed);
  }

  /** Confirms failures, one run at a time. A client that gives up after one 429 and not after another relies on nothing. */
  async #confirmAll(runs: readonly ClientRun[]): Promise<void> {
    const isPlainLimit = ({ variant }: ClientRun): boolean => plainLimits.includes(variant.variations[0]!);
    const failed = runs.filter(isBroken);
    const givingUp = failed.filter(isPlainLimit);
    const goesOn = runs.some((run) => run.isPassed && isPlainLimit(run));
    if (goesOn) this.givesUpAt = givingUp.flatMap(({ variant }) => variant.variations);
    const suspects = [...failed.filter((run) => !isPlainLimit(run)), ...(goesOn ? [] : givingUp.slice(0, 1))];
    for (const run of suspects) {
      const control = this.#controlOf(run.variant);
      // A control that failed in its own run is no difference.
      if (!failed.some(({ variant }) => variant.id === control.id)) await this.#confirm(run, control);
    }
  }

  #controlOf({ variations: [variation] }: ServiceVariant): ServiceVariant {
    const control = variation?.control?.(this.#habits);
    return control === undefined ? this.#base.variant : this.#variantWith([control]);
  }

  /** Blames a variant if the client passes without it and fails with it again: both must meet the same requests. */
  async #confirm(failed: ClientRun, control: ServiceVariant): Promise<void> {
    const without = await this.#runner.run(control, this.#habits);
    if (without?.isPassed === false) {
      this.unexplained.push({ run: failed, why: 'fails-without' });
      return;
    }
    const again = without && (await this.#runner.run(failed.variant, this.#habits));
    if (again === undefined) this.unexplained.push({ run: failed, why: 'not-confirmed' });
    else if (isBroken(again)) this.#blame(again, false);
    else await this.#lookOnceMore(failed);
  }

  /** The client failed once and passed once with a variant. */
  async #lookOnceMore(failed: ClientRun): Promise<void> {
    const again = await this.#runner.run(failed.variant, this.#habits);
    if (again !== undefined && isBroken(again)) this.#blame(again, true);
    else if (this.#runner.concurrency() > 1) this.#goOnOneAtATime();
    else this.unexplained.push({ run: failed, why: 'passed-again' });
  }

  #blame(run: ClientRun, isFlaky: boolean): void {
    if (this.#options.signal.aborted) return;
    this.breakages.push({ variations: run.variant.variations, run, isFlaky });
  }

  #contains(all: readonly Variation[], { variations: own }: Breakage): boolean {
    return own.every((variation) => all.includes(variation));
  }

  /** A combination without the sets of variations that are known to break the client. */
  #draw(seed: number, from: readonly Variation[]): readonly Variation[] {
    return this.breakages.reduce(
      (drawn, known) => (this.#contains(drawn, known) ? drawn.filter((one) => one !== known.variations.at(-1)) : drawn),
      drawCombination(seed, from),
    );
  }

  /** Runs combinations of variations that break the client in no run of their own. */
  async exploreCombinations(): Promise<void> {
    const passed = this.#runner.runs.filter(({ isPassed, variant }) => isPassed && variant.variations.length === 1);
    const from = [...new Set(passed.flatMap(({ variant }) => variant.variations))].filter(isCombinable);
    const harmless = from.filter(
      (one) => one !== otherAnimals && !this.breakages.some(({ variations: [own] }) => own === one),
    );
    const seen = new Set<string>();
    let { seed } = this.#options;
    for (let idle = 0; idle < mostIdleDraws && this.#runner.remaining() > 0; ) {
      const batch: ServiceVariant[] = [];
      while (batch.length < this.#runner.concurrency() && idle < mostIdleDraws) {
        const drawn = this.#draw(seed, harmless);
        const id = drawn.map((variation) => variation.id).join();
        const isNew = drawn.length > 1 && !seen.has(id);
        idle = isNew ? 0 : idle + 1;
        if (isNew) batch.push({ ...this.#variantWith(drawn), id: `combination ${seed}` });
        seen.add(id);
        seed += 1;
      }
      const runs = await this.#runner.runAll(batch, this.#habits);
      if (runs.length < batch.length) idle = mostIdleDraws;
      for (const run of runs.filter(isBroken)) await this.#explain(run);
    }
  }

  async #explain(failed: ClientRun): Promise<void> {
    if (this.breakages.some((known) => this.#contains(failed.variant.variations, known))) return;
    const again = await this.#runner.run(failed.variant, this.#habits);
    if (again === undefined) return;
    if (again.isPassed) {
      await this.#lookOnceMore(failed);
      return;
    }
    const smallest = await narrow(again, (part) => this.#runner.run(this.#variantWith(part), this.#habits));
    await this.#confirm(smallest, this.#base.variant);
  }
}
