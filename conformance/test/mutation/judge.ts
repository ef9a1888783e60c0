/**
 * Judges the judge: changes servers that conform one small step at a time, runs the kit against each, and lists the
 * changes that it does not fail. Exits with 1 where that list and survivors.yml differ.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultBudget } from '../../world/settings.ts';
import { type BuiltServer, buildMutants, keysIn, type Mutant, mutatedServers, survivors } from './mutants.ts';
import { tryAll } from './threads.ts';
import { mutationBudgets, runUnchanged } from './trial.ts';

const nameOf = ({ file, key }: Pick<Mutant, 'file' | 'key'>): string => `${file}\n    ${key}`;
/** Name of a survivor → why it survives. */
const kindOf = new Map(
  survivors.flatMap((group) => keysIn(group).map((key) => [nameOf({ ...group, key }), group.kind])),
);

/** Tries the mutants of one server, prints what came of them, and returns whether the list is up to date. */
async function judgeServer({ server, bundle, mutants }: BuiltServer, only: string | undefined): Promise<boolean> {
  const from = { bundle, exported: server.exported };
  const baseline = await runUnchanged(from);
  const wanted = mutants.filter(({ id, file }) => only === undefined || only === id || only === file);
  const reached = wanted.filter(({ id }) => baseline.reached.includes(id.split(':')[1]!));
  const trials = await tryAll(
    reached.map((mutant) => ({
      from,
      id: mutant.id.split(':')[1]!,
      // One that survived the last time is tried once, to save time.
      budgets: kindOf.has(nameOf(mutant)) ? [defaultBudget.maxRequests] : mutationBudgets,
      baseline,
    })),
    Math.min(2, availableParallelism()),
    (done) => done % 50 === 0 && console.error(`${server.id}: ${done} of ${reached.length}`),
  );
  const survived = reached.filter((_mutant, at) => trials[at]!.outcome === 'survived').map(nameOf);
  const unlisted = reached.filter((mutant) => survived.includes(nameOf(mutant)) && !kindOf.has(nameOf(mutant)));
  for (const mutant of unlisted) console.log(`NEW  ${mutant.id}  line ${mutant.line} of ${nameOf(mutant)}`);
  const listed = [...kindOf.keys()].filter((name) => wanted.some(({ file }) => name.startsWith(`${file}\n`)));
  const gone = only === undefined ? listed.filter((name) => !survived.includes(name)) : [];
  for (const name of gone) console.log(`GONE  ${name}`);
  if (reached.length === 1) console.log(trials[0]);
  const count = (outcome: string): number => trials.filter((trial) => trial.outcome === outcome).length;
  const kinds = (kind: string): number => survived.filter((name) => kindOf.get(name) === kind).length;
  const outcomes = ['failed', 'warned', 'not-judged', 'broken'].map((outcome) => `${count(outcome)} ${outcome}`);
  const holes = kinds('hole') + unlisted.length;
  const found = trials.length - survived.length;
  console.log(
    `${server.id}: ${wanted.length} mutants, ${wanted.length - reached.length} not reached; ${outcomes.join(', ')}; ` +
      `${survived.length} survived: ${kinds('equivalent')} equivalent, ${kinds('legal')} legal, ${holes} holes; ` +
      `score ${((100 * found) / (found + holes)).toFixed(1)} %`,
  );
  return unlisted.length + gone.length === 0;
}

/** Resolves with whether survivors.yml holds exactly the mutants that survive; `only` is a file or the id of a mutant. */
export async function judgeTheJudge(only: string | undefined): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-mutants-'));
  try {
    let isUpToDate = true;
    for (const server of mutatedServers) {
      if (only !== undefined && !only.startsWith(`${server.id}:`) && !server.files.includes(only)) continue;
      if (!(await judgeServer(await buildMutants(server, folder), only))) isUpToDate = false;
    }
    return isUpToDate;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
