/** `explain [ID]`: explains a requirement, a client requirement, a gap, a failure code, an option or a section. */

import { wrapAnsi } from 'fast-wrap-ansi';
import { clientRequirements } from '../../../spec/client-requirements.ts';
import { failureCodes } from '../../../spec/failure-codes.ts';
import { type Gap, gaps } from '../../../spec/gaps.ts';
import { type Requirement, type RequirementId, requirements } from '../../../spec/requirements.ts';
import { sectionHeading, sections } from '../../../spec/sections.ts';
import { describeOption, flagOf, type OptionName, optionNames, optionOf, variableOf } from '../../options/options.ts';
import { shown } from '../../options/readers.ts';
import { suggest } from '../../options/suggest.ts';
import { columnsOf } from '../../reporters/width.ts';
import { UsageError } from '../../run/usage-error.ts';
import type { Invocation } from '../configuration.ts';
import { configurationFile } from '../configuration.ts';
import { type Explanation, explanations } from '../explanations.ts';
import { print } from '../files.ts';

type Part = readonly [title: string, lines: readonly string[]];

function joinParts(heading: readonly string[], parts: readonly Part[]): string {
  const blocks = parts.map(([title, lines]) => [`${title}:`, ...lines.map((line) => `  ${line}`)]);
  return [heading, ...blocks].map((lines) => `${lines.join('\n')}\n`).join('\n');
}

/** Ids behind one another: there may be hundreds. */
function wrapIds(ids: readonly string[]): readonly string[] {
  return wrapAnsi(ids.join(', '), columnsOf(process.stdout, process.env) - 2).split('\n');
}

/** The judges of a requirement, and the faults that prove them. */
async function proofsOf(id: RequirementId): Promise<readonly Part[]> {
  const { checks } = await import('../../sections/index.ts');
  const { faults } = await import('../../faults/index.ts');
  const judges = checks.flatMap((check) =>
    'judge' in check && check.verifies.includes(id) ? [`${check.id}: ${check.title}`] : [],
  );
  const proofs = faults.filter(({ breaks }) => breaks[0] === id).map((fault) => fault.id);
  return [
    ['Judged by', judges],
    [`Proven by ${proofs.length} faults`, wrapIds(proofs)],
  ];
}

/** A request of the table of explanations as a curl line. */
function curlOf({ ask, key }: Omit<Explanation, 'allowed' | 'mistake'>): string {
  const [, method = '', target = '', body] = /^(\w+) (\S+)(?: (.*))?$/.exec(ask) ?? [];
  const credential =
    key === 'none' ? '' : ` -H "Authorization: Bearer ${key === 'wrong' ? 'wrong' : '$PETSTORE_API_KEY'}"`;
  // A byte that is no text of its own is written by printf.
  const isRaw = body?.includes('\\x') === true;
  const sent = isRaw ? ' --data-binary @-' : ` --data-raw '${body}'`;
  const content = body === undefined ? '' : ` -H 'content-type: application/json'${sent}`;
  const curl = `curl -i${method === 'GET' ? '' : ` -X ${method}`} "$PETSTORE_BASE_URL${target}"${credential}${content}`;
  return isRaw ? `printf '${body}' | ${curl}` : curl;
}

async function explainRequirement(
  { id, section, level, text, untested }: Requirement & { readonly id: RequirementId },
  isVerbose: boolean,
): Promise<string> {
  const effect = level === 'required' ? 'breaking it fails the run' : 'breaking it warns';
  const { allowed, mistake, ...asked } = explanations[id];
  const parts: readonly Part[] =
    untested === undefined
      ? [
          ['Allowed', [allowed]],
          ['The usual mistake', [mistake]],
          ['Ask for it', [...(asked.isRepeated ? ['More often than the limit allows:'] : []), curlOf(asked)]],
          ...(isVerbose ? await proofsOf(id) : []),
        ]
      : [['Not tested', [untested]]];
  return joinParts([`§${section} ${id} (${level}: ${effect})`, text], parts);
}

async function explainClientRequirement({ id, section, level, text }: (typeof clientRequirements)[number]) {
  const { usualRefusals } = await import('../../clients/refusals.ts');
  const { amongOthers, services } = await import('../../clients/services.ts');
  const shownBy = [amongOthers, ...services, ...usualRefusals]
    .filter(({ requirement }) => requirement === id)
    .map((one) => `${one.id}: ${one.meaning}`);
  return joinParts(
    [`§${section} ${id} (client requirement, ${level})`, text],
    [['Shown by a service that differs in', shownBy.length === 0 ? ['nothing: the requests show it'] : shownBy]],
  );
}

function explainGap({ id, section, question, answers, others = {}, reference, unobservable }: Gap): string {
  const heading = [`§${section} ${id} (gap: observed, never judged)`, question];
  if (unobservable !== undefined) return `${[...heading, '', unobservable].join('\n')}\n`;
  const rows = Object.entries({ ...answers, ...others }).map(
    ([answer, meaning]) => `${answer}: ${meaning}${answer === reference ? ' (the reference server)' : ''}`,
  );
  return joinParts(heading, [['Answers', rows]]);
}

function explainOption(name: OptionName): string {
  const option = optionOf(name);
  return joinParts(
    [`--${option.flag} (option of ${option.commands.join(', ')})`, describeOption(option)],
    [['Also set by', [variableOf(name), `${flagOf(name)}: in ${configurationFile}`]]],
  );
}

/** A section, as `--only` takes it: everything in it that has an explanation of its own. */
function explainSection(section: (typeof sections)[number]): string {
  const own = subjects.filter((one) => one.section === section.id && !isOfGap(one));
  const rows = own.map(({ id, level, text }) => `${id} (${level}): ${text}`);
  return joinParts([sectionHeading(section.id)], [['In it', rows]]);
}

interface Subject {
  readonly id: string;
  readonly section: string;
  readonly level: string;
  readonly text: string;
  readonly explain: (isVerbose: boolean) => string | Promise<string>;
}

/** Working with every answer of a gap is a client requirement of its own, and the gap says it already. */
function isOfGap({ id }: Subject): boolean {
  return id.startsWith('any-');
}

/** Everything that has an explanation. */
const subjects: readonly Subject[] = [
  ...requirements.map((one) => ({ ...one, explain: (isVerbose: boolean) => explainRequirement(one, isVerbose) })),
  ...clientRequirements.map((one) => ({ ...one, level: 'client', explain: () => explainClientRequirement(one) })),
  ...gaps.map((one) => ({ ...one, level: 'gap', text: one.question, explain: () => explainGap(one) })),
  ...Object.entries(failureCodes).map(([id, text]) => {
    return { id, section: '', level: 'code', text, explain: () => `${id} (failure code)\n${text}\n` };
  }),
  ...optionNames.map((name) => {
    const { help: text } = optionOf(name);
    return { id: `--${flagOf(name)}`, section: '', level: 'option', text, explain: () => explainOption(name) };
  }),
  ...sections.map((one) => {
    return { id: `§${one.id}`, section: '', level: 'section', text: one.title, explain: () => explainSection(one) };
  }),
];

function table(shownSubjects: readonly Subject[]): string {
  const width = Math.max(...shownSubjects.map(({ id }) => id.length));
  return shownSubjects
    .map(({ section, id, level, text }) => {
      return `${(section && `§${section}`).padEnd(5)}${id.padEnd(width + 2)}${level.padEnd(10)}${text}\n`;
    })
    .join('');
}

/** What has this id: an option also without its dashes or by its variable, and a section without its sign. */
function find(id: string): Subject | undefined {
  const flag = id.replace(/^(--)?(no-)?/, '');
  const variable = optionNames.find((name) => variableOf(name) === id);
  const names = [id, `§${id}`, `--${variable === undefined ? flag : flagOf(variable)}`];
  return subjects.find((one) => names.includes(one.id));
}

/** What speaks of a word, such as 404 or limit; undefined where nothing does. */
function search(text: string): string | undefined {
  const word = text.toLowerCase();
  if (!/^[a-z0-9-]{3,}$/.test(word)) return undefined;
  const speaksOf = (one: string): boolean => new RegExp(`\\b${word}`, 'i').test(one);
  const found = subjects.filter((one) => !isOfGap(one) && (speaksOf(one.id) || speaksOf(one.text)));
  return found.length === 0 ? undefined : `No id is "${word}"; these speak of it:\n\n${table(found)}`;
}

export async function explain({ values, words: [id] }: Invocation<'explain'>): Promise<number> {
  if (id === undefined) {
    await print(table(subjects.slice(0, requirements.length)));
    return 0;
  }
  const hint = suggest(
    id,
    subjects.map((one) => one.id),
  );
  const explanation = (await find(id)?.explain(values.isVerbose)) ?? (hint === '' ? search(id) : undefined);
  if (explanation === undefined) {
    throw new UsageError(
      `explain knows no "${shown(id)}"; petstore-conformance explain lists the requirements.${hint}`,
    );
  }
  await print(explanation);
  return 0;
}
