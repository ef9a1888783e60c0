/**
 * Judges the judge: changes servers that conform one small step at a time, runs the kit against each, and lists the
 * changes that it does not fail. Exits with 1 where that list and survivors.ts differ.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultBudget } from '../../verdict/settings.ts';
import { type BuiltServer, buildMutants, type Mutant, mutatedServers } from './mutants.ts';
import { type SurvivorGroup, survivors } from './survivors.ts';
import { tryAll } from './threads.ts';
import { type MutantTrial, mutationBudgets, runUnchanged } from './trial.ts';

/** What to try: everything, the mutants of one file, or one mutant. */
export interface MutationFilter {
  readonly file?: string | undefined;
  readonly mutant?: string | undefined;
}

interface Tried {
  readonly mutant: Mutant;
  readonly trial: MutantTrial;
}

interface Listed {
  readonly group: SurvivorGroup;
  readonly key: string;
}

function listedOf(files: readonly string[]): readonly Listed[] {
  return survivors
    .filter(({ file }) => files.includes(file))
    .flatMap((group) => group.mutants.map((key) => ({ group, key })));
}

const isOf =
  ({ file, key }: Mutant) =>
  (listed: Listed): boolean =>
    listed.group.file === file && listed.key === key;

function describe({ mutant, trial }: Tried): string {
  const place = `${mutant.id}  ${mutant.file}:${mutant.line}`;
  const seen = [...trial.shownBy, ...trial.otherAnswers].map((text) => `\n      ${text}`).join('');
  const within = trial.within === undefined ? '' : ` within ${trial.within}`;
  return `${trial.outcome}${within}  ${place}\n    ${mutant.key}${seen}`;
}

function countOf(tried: readonly Tried[], outcome: MutantTrial['outcome']): number {
  return tried.filter(({ trial }) => trial.outcome === outcome).length;
}

/** Found by what is neither equivalent nor legal, in percent. */
function scoreOf(found: number, holes: number): string {
  return ((100 * found) / (found + holes)).toFixed(1);
}

/** Tries the mutants of one server, prints what came of them, and returns whether the list is up to date. */
async function judgeServer(built: BuiltServer, { file, mutant: only }: MutationFilter): Promise<boolean> {
  const { server, mutants } = built;
  const from = { bundle: built.bundle, exported: server.exported };
  const baseline = await runUnchanged(from);
  const wanted = mutants.filter(
    ({ id, file: own }) => (file === undefined || file === own) && (only === undefined || only === id),
  );
  const reached = wanted.filter(({ id }) => baseline.reached.includes(id.split(':')[1]!));
  const listed = listedOf(server.files.filter((own) => file === undefined || file === own));
  const isUnlisted = ({ mutant, trial }: Tried): boolean => trial.outcome === 'survived' && !listed.some(isOf(mutant));
  const trials = await tryAll(
    reached.map((mutant) => ({
      from,
      id: mutant.id.split(':')[1]!,
      // One that survived the last time is tried once, to save time.
      budgets: listed.some(isOf(mutant)) ? [defaultBudget.maxRequests] : mutationBudgets,
      baseline,
    })),
    Math.min(2, availableParallelism()),
    (at, trial, done) => {
      const one = { mutant: reached[at]!, trial };
      if (only !== undefined) console.log(describe(one));
      else if (isUnlisted(one)) console.log(`NEW  ${describe(one)}`);
      else if (trial.outcome !== 'survived' && listed.some(isOf(one.mutant))) console.log(`GONE  ${describe(one)}`);
      if (done % 50 === 0) console.error(`${server.id}: ${done} of ${reached.length}`);
    },
  );
  const tried = reached.map((mutant, at): Tried => ({ mutant, trial: trials[at]! }));
  if (only !== undefined) return true;
  const survived = tried.filter(({ trial }) => trial.outcome === 'survived');
  const unlisted = tried.filter(isUnlisted);
  const gone = listed.filter((one) => !survived.some(({ mutant }) => isOf(mutant)(one)));
  for (const { group, key } of gone.filter((one) => !reached.some((mutant) => isOf(mutant)(one)))) {
    console.log(`GONE  not reached  ${group.file}\n    ${key}`);
  }
  const kinds = (kind: SurvivorGroup['kind']): number =>
    listed.filter((one) => one.group.kind === kind && !gone.includes(one)).length;
  const outcomes = (['failed', 'warned', 'not-judged', 'broken'] as const).map(
    (outcome) => `${countOf(tried, outcome)} ${outcome}`,
  );
  const holes = kinds('hole') + unlisted.length;
  console.log(
    `${server.id}: ${wanted.length} mutants, ${wanted.length - reached.length} not reached; ${outcomes.join(', ')}; ` +
      `${survived.length} survived: ${kinds('equivalent')} equivalent, ${kinds('legal')} legal, ${holes} holes; ` +
      `score ${scoreOf(tried.length - survived.length, holes)} %`,
  );
  return unlisted.length + gone.length === 0;
}

/** Resolves with whether survivors.ts holds exactly the mutants that survive. */
export async function judgeTheJudge(filter: MutationFilter): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-mutants-'));
  try {
    let isUpToDate = true;
    for (const server of mutatedServers) {
      const isMeant = filter.mutant === undefined || filter.mutant.startsWith(`${server.id}:`);
      if (!isMeant || (filter.file !== undefined && !server.files.includes(filter.file))) continue;
      if (!(await judgeServer(await buildMutants(server, folder), filter))) isUpToDate = false;
    }
    return isUpToDate;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
