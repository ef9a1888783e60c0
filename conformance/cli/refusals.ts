/** Turns the error codes of the machine, such as ENOSPC, into words that say what to do. */

import { shown } from '../options/readers.ts';
import { UsageError } from '../run/usage-error.ts';

const longestSubject = 200;

const whenWriting: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full, so make room or name a file elsewhere',
  EDQUOT: 'your share of the disk is used up, so make room or name a file elsewhere',
  EROFS: 'the disk can only be read, so name a file elsewhere',
  EACCES: 'you may not write there, so name a file elsewhere',
  EPERM: 'you may not write there, so name a file elsewhere',
  EISDIR: 'it is a folder, so name a file in it',
  ENOTDIR: 'a part of its path is a file, so choose another name',
  ENOENT: 'its folder cannot be made, so name a file elsewhere',
  EPIPE: 'its reader has ended',
};

const whenReading: Readonly<Record<string, string>> = {
  ENODEV: 'it is no file',
  ETIMEDOUT: 'its writer sends nothing',
  ENXIO: 'it is no file',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'there is no such file',
  EACCES: 'you may not read it',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is a file',
};

const whenStarting: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program; say where it is, or put its folder into PATH',
  EACCES: 'it may not be run, so make it executable with chmod +x',
};

const words = { written: whenWriting, read: whenReading, started: whenStarting };

/** A sentence without its full stop, such as `x cannot be written (ENOSPC): the disk is full, so …`. */
export function refusal(subject: string, action: keyof typeof words, error: unknown): string {
  const { code = 'no code' } = error as NodeJS.ErrnoException;
  const reason = words[action][code];
  return `${shown(subject, longestSubject)} cannot be ${action} (${code})${reason === undefined ? '' : `: ${reason}`}`;
}

/** Starts a server on the port that the user names; rejects with a UsageError where nothing can listen there. */
export async function listening<Result>(start: () => Promise<Result>, port: number, host: string): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isHost = code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND';
    const advice = isHost ? 'name an address of this machine with --host' : 'name another with --port';
    throw new UsageError(`Port ${port} of ${host} cannot be listened on (${code}): ${advice}.`);
  }
}
