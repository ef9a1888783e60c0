/** Reads the files of the command: keys, answers to gaps, animals. */

import { isJsonObject, type JsonValue } from '../../conformance/http/json.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { createTwin } from './gaps.ts';
import { readAnimals, readKeys } from './options.ts';

/** Reads the value of a YAML file, with integers as bigints; `what` begins the sentence of an error. */
export type ReadYaml = (path: string, what: string) => Promise<unknown>;

function readGaps(gaps: JsonValue): Partial<GapChoices> {
  if (!isJsonObject(gaps)) throw new RangeError('it must have a line "gap: answer" for each gap');
  createTwin({ gaps });
  return gaps;
}

const readers = {
  keys: readKeys,
  gaps: readGaps,
  animals: readAnimals,
};
/** The flags that take the path of a file. */
export type FileFlag = keyof typeof readers;

/** Reads the file of a flag; throws a RangeError for the user, which names the file. */
export async function readFileOf<Flag extends FileFlag>(flag: Flag, path: string, readYaml: ReadYaml) {
  const value = (await readYaml(path, `The file of --${flag}`)) as JsonValue;
  try {
    return readers[flag](value) as ReturnType<(typeof readers)[Flag]>;
  } catch (error) {
    const reason = (error as Error).message.replace(/(?<![.?])$/, '.');
    throw new RangeError(`The file ${JSON.stringify(path)} of --${flag} cannot be used: ${reason}`);
  }
}
