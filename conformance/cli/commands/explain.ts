/** `explain [ID]`: explains a requirement, a client requirement, a gap, a failure code, an option or a section. */

import { clientRequirements } from '../../../spec/client-requirements.ts';
import { failureCodes } from '../../../spec/failure-codes.ts';
import { type Gap, gaps } from '../../../spec/gaps.ts';
import { type Requirement, type RequirementId, requirements } from '../../../spec/requirements.ts';
import { sectionHeading, sections } from '../../../spec/sections.ts';
import { usualRefusals } from '../../clients/refusals.ts';
import { amongOthers, services } from '../../clients/services.ts';
import { faults } from '../../faults/index.ts';
import { describeOption, flagOf, optionNames, optionOf, variableOf } from '../../options/options.ts';
import { shown } from '../../options/readers.ts';
import { suggest } from '../../options/suggest.ts';
import { line, renderLines, withoutColour } from '../../reporters/styled-lines.ts';
import { columnsOf } from '../../reporters/width.ts';
import { UsageError } from '../../run/usage-error.ts';
import { checks } from '../../sections/index.ts';
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
  const width = columnsOf(process.stdout, process.env) - 2;
  return renderLines([{ ...line(0, ids.join(', ')), hang: 0 }], withoutColour, width)
    .trimEnd()
    .split('\n');
}

function checksOf(does: 'judge' | 'run', id: RequirementId): readonly string[] {
  return checks.flatMap((check) =>
    'verifies' in check && does in check && check.verifies.includes(id) ? [`${check.id}: ${check.title}`] : [],
  );
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

function explainRequirement(requirement: Requirement & { readonly id: RequirementId }, isVerbose: boolean): string {
  const { id, section, level, text, untested } = requirement;
  const effect = level === 'required' ? 'breaking it fails the run' : 'breaking it warns';
  const { allowed, mistake, ...asked } = explanations[id];
  const parts: Part[] =
    untested === undefined
      ? [
          ['Allowed', [allowed]],
          ['The usual mistake', [mistake]],
          ['Ask for it', [...(asked.isRepeated ? ['More often than the limit allows:'] : []), curlOf(asked)]],
        ]
      : [['Not tested', [untested]]];
  if (isVerbose && untested === undefined) {
    const proofs = faults.filter(({ breaks }) => breaks[0] === id).map((fault) => fault.id);
    const scenarios = checksOf('run', id);
    parts.push(
      ['Judged by', checksOf('judge', id)],
      ['Shown by the requests of', scenarios.length === 0 ? ['every scenario of a run'] : scenarios],
      [`Proven by ${proofs.length} faults`, wrapIds(proofs)],
    );
  }
  return joinParts([`§${section} ${id} (${level}: ${effect})`, text], parts);
}

function explainClientRequirement({ id, section, level, text }: (typeof clientRequirements)[number]): string {
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

/** Options by their flag, with or without its dashes, or by their variable. Two commands may read one flag. */
function explainOptions(id: string): string | undefined {
  const flag = id.replace(/^(--)?(no-)?/, '');
  const names = optionNames.filter((name) => flagOf(name) === flag || variableOf(name) === id);
  const texts = names.map((name) => {
    const option = optionOf(name);
    return joinParts(
      [`--${option.flag} (option of ${option.commands.join(', ')})`, describeOption(option)],
      [['Also set by', [variableOf(name), `${flagOf(name)}: in ${configurationFile}`]]],
    );
  });
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** A section by its number, as `--only` takes it: everything in it that has an explanation of its own. */
function explainSection(id: string): string | undefined {
  const section = sections.find((one) => one.id === id.replace(/^§/, ''));
  if (section === undefined) return undefined;
  const isIn = (one: { readonly section: string }): boolean => one.section === section.id;
  // Working with every answer of a gap is a client requirement of its own, and the gap says it already.
  const ofClients = clientRequirements.filter((one) => isIn(one) && !one.id.startsWith('any-'));
  const parts: readonly Part[] = [
    ['Requirements', requirements.filter(isIn).map((one) => `${one.id} (${one.level}): ${one.text}`)],
    ['Client requirements', ofClients.map((one) => `${one.id} (${one.level}): ${one.text}`)],
    ['Gaps', gaps.filter(isIn).map((gap) => `${gap.id}: ${gap.question}`)],
  ];
  return joinParts(
    [sectionHeading(section.id)],
    parts.filter(([, lines]) => lines.length > 0),
  );
}

type Row = readonly [section: string, id: string, level: string, text: string];

/** Everything that has an explanation of its own, but for sections and options. */
const rows: readonly Row[] = [
  ...requirements.map(({ section, id, level, text }): Row => [section, id, level, text]),
  ...clientRequirements.map(({ section, id, text }): Row => [section, id, 'client', text]),
  ...gaps.map(({ section, id, question }): Row => [section, id, 'gap', question]),
  ...Object.entries(failureCodes).map(([id, text]): Row => ['', id, 'code', text]),
];

function table(shownRows: readonly Row[]): string {
  const width = Math.max(...shownRows.map(([, id]) => id.length));
  return shownRows
    .map(
      ([section, id, level, text]) =>
        `${(section && `§${section}`).padEnd(5)}${id.padEnd(width + 2)}${level.padEnd(10)}${text}\n`,
    )
    .join('');
}

/** What speaks of a word, such as 404 or limit; undefined where nothing does. */
function search(text: string): string | undefined {
  const word = text.toLowerCase();
  if (!/^[a-z0-9-]{3,}$/.test(word)) return undefined;
  const speaksOf = (one: string): boolean => new RegExp(`\\b${word}`, 'i').test(one);
  // Working with every answer of a gap is a client requirement of its own, and the gap says it already.
  const found = rows.filter(([, id, , text]) => !id.startsWith('any-') && (speaksOf(id) || speaksOf(text)));
  const flags = optionNames.filter((name) => speaksOf(flagOf(name)) || speaksOf(optionOf(name).help));
  const named = [...new Set(flags.map((name) => `--${flagOf(name)}`))];
  if (found.length + named.length === 0) return undefined;
  const options = named.length === 0 ? '' : `\nOptions: ${named.join(', ')}\n`;
  return `No id is "${word}"; these speak of it:\n\n${found.length === 0 ? '' : table(found)}${options}`;
}

function explanationOf(id: string, isVerbose: boolean): string | undefined {
  const requirement = requirements.find((one) => one.id === id);
  if (requirement !== undefined) return explainRequirement(requirement, isVerbose);
  const clientRequirement = clientRequirements.find((one) => one.id === id);
  if (clientRequirement !== undefined) return explainClientRequirement(clientRequirement);
  const gap = gaps.find((one) => one.id === id);
  if (gap !== undefined) return explainGap(gap);
  const codes: Readonly<Record<string, string>> = failureCodes;
  if (Object.hasOwn(codes, id)) return `${id} (failure code)\n${codes[id]}\n`;
  return explainSection(id) ?? explainOptions(id);
}

export async function explain({ values, words: [id] }: Invocation<'explain'>): Promise<number> {
  if (id === undefined) {
    await print(table(rows.slice(0, requirements.length)));
    return 0;
  }
  const known = [...rows.map((row) => row[1]), ...optionNames.map((name) => `--${flagOf(name)}`)];
  const hint = suggest(id, known);
  const explanation = explanationOf(id, values.isVerbose) ?? (hint === '' ? search(id) : undefined);
  if (explanation === undefined) {
    throw new UsageError(
      `explain knows no "${shown(id)}"; petstore-conformance explain lists the requirements.${hint}`,
    );
  }
  await print(explanation);
  return 0;
}
