/** What the interface leaves open, as functions: the answers of this server, each of which another service may replace. */

import { answer, readHeader, refuse } from './answer.ts';
import { createFixedWindow, type LimitBehaviour, plans } from './limit.ts';
import type { OperationBehaviour } from './operations.ts';

export interface Behaviour extends LimitBehaviour, OperationBehaviour {
  /** The token in an Authorization header (§5). */
  readonly readToken: (authorization: string) => string | undefined;
}

export const reference: Behaviour = {
  readToken: (authorization) => /^Bearer +([!-~]+)$/i.exec(authorization)?.[1],
  limitsWithoutKey: () => plans.free,
  createWindow: createFixedWindow,
  shownWindow: (minute, day) => (day.remaining < minute.remaining ? day : minute),
  refuseOther(methods) {
    if (methods === '') return refuse(404, 'There is nothing at this address.');
    return refuse(405, `This address takes ${methods}.`, { Allow: methods });
  },
  readLimit: () => refuse(400, 'The limit must be an integer from 1 to 100.'),
  readFilter: () => refuse(400, 'The status must be available, pending or sold.'),
  answerPage: (matching, limit) => answer(200, `[${matching.slice(0, limit).join()}]`),
  refuseBody(request) {
    const isJson = /^application\/json\s*(;|$)/i.test(readHeader(request, 'content-type').trim());
    return isJson ? undefined : refuse(415, 'The body must be sent as application/json.');
  },
  complaintOf: () => undefined,
  omittedStatus: () => 'available',
  furtherMembers: () => '',
  nextId: BigInt,
  noInt64: () => 404,
  removed: () => 410,
};
