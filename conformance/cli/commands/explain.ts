/** `explain [ID] [STACK]`: explains a requirement, a client requirement, a gap or a failure code, or lists what mentions a word. */

import { clientRequirements } from '../../../spec/client-requirements.ts';
import { removalDayInWords } from '../../../spec/facts.ts';
import { failureCodes } from '../../../spec/failure-codes.ts';
import { type Gap, gaps } from '../../../spec/gaps.ts';
import { pageLimit } from '../../../spec/operations.ts';
import { type Requirement, type RequirementId, requirements } from '../../../spec/requirements.ts';
import { shown } from '../../options/readers.ts';
import { suggest } from '../../options/suggest.ts';
import { UsageError } from '../../run/usage-error.ts';
import { type MistakeWithRemedies, mistakesBehind, remediesByStack } from '../../verdict/remedies/index.ts';
import type { Command } from '../configuration.ts';
import explanations from '../explanations.json' with { type: 'json' };
import { print } from '../files.ts';

/** Lines under a title. */
type ExplanationBlock = readonly [title: string, ...lines: string[]];

/** Renders the lines of a heading, then blocks of indented lines, each under its title. */
function explanationPage(heading: readonly string[], ...blocks: readonly ExplanationBlock[]): string {
  const indented = blocks.map(([title, ...lines]) => [`${title}:`, ...lines.map((line) => `  ${line}`)]);
  return [heading, ...indented].map((lines) => `${lines.join('\n')}\n`).join('\n');
}

/** A block with the judges of a requirement, and one with its faults. There may be hundreds of faults, so they share a line. */
async function proofsOf(id: RequirementId): Promise<readonly ExplanationBlock[]> {
  const { checks } = await import('../../sections/index.ts');
  const { faults } = await import('../../faults/index.ts');
  const judges = checks.filter((check) => 'judge' in check).filter(({ verifies }) => verifies.includes(id));
  const proofs = faults.filter(({ breaks }) => breaks[0] === id).map((fault) => fault.id);
  return [
    ['Judged by', ...judges.map((judge) => judge.id)],
    [`Proven by ${proofs.length} faults`, proofs.join(', ')],
  ];
}

/** The placeholders in explanations.json, such as {most}, and the numbers and dates of the interface that replace them. */
const filledIn: Readonly<Record<string, string>> = {
  '{usual}': String(pageLimit.usual),
  '{most}': String(pageLimit.most),
  '{tooMany}': String(pageLimit.most + 1),
  '{removal}': removalDayInWords,
};

function fillIn(text: string): string {
  return text.replace(/\{\w+\}/g, (name) => filledIn[name] ?? name);
}

/**
 * One request, what a service may answer to it, and the requirements that it shows, each with the usual mistake behind a
 * failure. An empty `key` means a request without a key.
 */
type ExplanationText = (typeof explanations)[number];

/** The request as a curl line for bash: a body with escaped bytes, such as \xff, is quoted as $'…'. */
function curlOfExample({ method, target, body, key = '$PETSTORE_API_KEY' }: ExplanationText): string {
  const credential = key === '' ? '' : ` -H "Authorization: Bearer ${key}"`;
  const quote = body?.includes('\\x') ? '$' : '';
  const content = body === undefined ? '' : ` -H 'content-type: application/json' --data-raw ${quote}'${body}'`;
  return `curl -i${method === 'GET' ? '' : ` -X ${method}`} "$PETSTORE_BASE_URL${target}"${credential}${content}`;
}

/**
 * A block for a mistake: what to change whatever the stack, then a sentence for each stack. The code of all stacks is more
 * than a screen, so it is shown for one stack at a time.
 */
function remedyBlock({ title, advice, remedies }: MistakeWithRemedies, stack: string | undefined): ExplanationBlock {
  if (stack === undefined) {
    const sentences = remedies.map((remedy) => `${remedy.stack}: ${remedy.advice.replace(/:$/, '.')}`);
    return [title, advice, ...sentences];
  }
  const lines = remedies
    .filter((remedy) => remedy.stack === stack)
    .flatMap((remedy) => [`${stack}: ${remedy.advice}`, ...remedy.code.map((line) => `    ${line}`)]);
  return [title, advice, ...lines];
}

/** The stack that a word names in any case; `nginx` is enough for "nginx in front". */
function stackNamed(word: string): string {
  const stacks = Object.keys(remediesByStack);
  const firstWords = stacks.map((stack) => stack.split(' ')[0]!);
  const found = stacks[firstWords.findIndex((first) => first.toLowerCase() === word.toLowerCase())];
  if (found !== undefined) return found;
  throw new UsageError(`explain knows no stack "${shown(word)}"; it knows ${firstWords.join(', ')}.`);
}

/** What explains a requirement beyond its text. */
interface ExplainOptions {
  readonly isVerbose: boolean;
  readonly stack: string | undefined;
}

async function explainRequirement(
  { id, section, level, text, untested }: Requirement & { readonly id: RequirementId },
  { isVerbose, stack }: ExplainOptions,
): Promise<string> {
  const breaking = level === 'required' ? 'fails the run' : 'warns';
  const heading = [`§${section} ${id} (${level}: breaking it ${breaking})`, text];
  if (untested !== undefined) return explanationPage(heading, ['Not applicable', untested]);
  const explanation = explanations.find(({ mistakes }) => Object.hasOwn(mistakes, id))!;
  const mistakes: Readonly<Record<string, string>> = explanation.mistakes;
  const behind = mistakesBehind(id);
  const request = curlOfExample(explanation);
  const lines = explanation.repeated ? ['More often than the limit allows:', request] : [request];
  const blocks: ExplanationBlock[] = [
    ['Allowed', explanation.allowed],
    ['The usual mistake', mistakes[id]!],
    ['Ask for it', ...lines],
    ...behind.map((mistake) => remedyBlock(mistake, stack)),
  ];
  const hasMoreCode = stack === undefined && behind.length > 0;
  if (hasMoreCode) blocks.push(['The code for your stack', `petstore-conformance explain ${id} STACK`]);
  if (isVerbose) blocks.push(...(await proofsOf(id)));
  return fillIn(explanationPage(heading, ...blocks));
}

function explainGap({ id, section, question, answers, others = {}, reference, unobservable }: Gap): string {
  const heading = [`§${section} ${id} (gap: observed, never judged)`, question];
  if (unobservable !== undefined) return explanationPage([...heading, '', unobservable]);
  const rows = Object.entries({ ...answers, ...others }).map(
    ([answer, meaning]) => `${answer}: ${meaning}${answer === reference ? ' (the reference server)' : ''}`,
  );
  return explanationPage(heading, ['Answers', ...rows]);
}

interface Subject {
  readonly id: string;
  readonly section: string;
  readonly level: string;
  readonly text: string;
  readonly explain: (options: ExplainOptions) => string | Promise<string>;
}

/** Everything that has an explanation. */
const subjects: readonly Subject[] = [
  ...requirements.map((one) => ({ ...one, explain: (options: ExplainOptions) => explainRequirement(one, options) })),
  ...clientRequirements.map((one) => {
    const heading = [`§${one.section} ${one.id} (client requirement, ${one.level})`, one.text];
    return { ...one, level: 'client', explain: () => explanationPage(heading) };
  }),
  ...gaps.map((one) => ({ ...one, level: 'gap', text: one.question, explain: () => explainGap(one) })),
  ...Object.entries(failureCodes).map(([id, text]) => {
    return { id, section: '', level: 'code', text, explain: () => explanationPage([`${id} (failure code)`, text]) };
  }),
];

function subjectTable(rows: readonly Subject[]): string {
  const width = Math.max(...rows.map(({ id }) => id.length)) + 2;
  const lines = rows.map(
    ({ section, id, level, text }) =>
      `${(section && `§${section}`).padEnd(5)}${id.padEnd(width)}${level.padEnd(10)}${text}\n`,
  );
  return lines.join('');
}

/** The subjects of a section such as 4.1; else those that mention a word such as 404 or limit. */
function search(text: string): readonly Subject[] {
  // The client requirement any-ID asks a client to work with every answer to the gap ID, which is listed itself.
  const listed = subjects.filter(({ id }) => !id.startsWith('any-'));
  const inSection = listed.filter(({ section }) => section !== '' && section === text.replace('§', ''));
  if (inSection.length > 0 || !/^[a-z0-9-]{3,}$/i.test(text)) return inSection;
  const pattern = new RegExp(`\\b${text}`, 'i');
  return listed.filter((one) => pattern.test(one.id) || pattern.test(one.text));
}

async function explanationFor(id: string, options: ExplainOptions): Promise<string> {
  const found = subjects.find((one) => one.id === id);
  if (found !== undefined) return found.explain(options);
  const mentions = search(id);
  if (mentions.length > 0) return `No id is "${id}"; these speak of it:\n\n${subjectTable(mentions)}`;
  const ids = subjects.map((one) => one.id);
  const hint = suggest(id, ids);
  throw new UsageError(
    `explain knows no "${shown(id)}"; petstore-conformance explain lists requirements and gaps.${hint}`,
  );
}

export const explain: Command<'explain'> = async ({ values, words: [id, word] }) => {
  const listed = subjects.filter(({ level }) => level !== 'client' && level !== 'code');
  const stack = word === undefined ? undefined : stackNamed(word);
  const options = { isVerbose: values.isVerbose, stack };
  await print(id === undefined ? subjectTable(listed) : await explanationFor(id, options));
  return 0;
};
