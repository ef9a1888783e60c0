/** Compares the server with a bare node:http server, a service built on Fastify, and the Prism mock. */

import { compare, compete, describe } from './comparison.ts';
import { atLeast, type Figure } from './figures.ts';
import type { Question } from './load.ts';
import { key, startBare, startFastify, startPrism, startServer } from './servers.ts';

interface Trial {
  readonly name: string;
  readonly question: Question;
  /** The goals: the share of a bare server's speed, and the multiple of Fastify's. */
  readonly goals: readonly [bare: number, fastify: number];
}

/** Enough to fill a page of 100 with a filter. */
const animals = 1_000;
const body = '{"name":"Rex","categoryId":1,"status":"available"}';
const trials: readonly Trial[] = [
  { name: 'getPet', question: { path: '/v1/pets/1', key }, goals: [0.97, 1.1] },
  { name: 'listPets, 20', question: { path: '/v1/pets', key }, goals: [0.95, 1.3] },
  {
    name: 'listPets, 100 and filter',
    question: { path: '/v1/pets?limit=100&status=available', key },
    goals: [0.9, 1.3],
  },
  { name: 'createPet', question: { path: '/v1/pets', key, body }, goals: [0.85, 1.1] },
];

/** The mock has no base path, and knows only the animals of its examples. */
function askMock(question: Question): Question {
  return { ...question, path: question.path.replace('/v1', '') };
}

async function play({ name, question, goals: [bareGoal, fastifyGoal] }: Trial): Promise<readonly Figure[]> {
  const server = await startServer({ animals });
  const peers = [server, await startBare(server, question), await startFastify({ animals }), await startPrism()];
  const rivals = peers.map((peer, at) => ({ peer, question: at === 3 ? askMock(question) : question }));
  const [ours = [], bare = [], fastify = [], prism = []] = await compete(rivals);
  await Promise.all(peers.map((peer) => peer.stop()));
  return [
    ...describe(name, ours),
    ...compare(`${name} ÷ bare node:http`, atLeast(bareGoal), ours, bare),
    ...compare(`${name} ÷ Fastify`, atLeast(fastifyGoal), ours, fastify),
    ...compare(`${name} ÷ Prism mock`, atLeast(10), ours, prism),
  ];
}

export async function measureAgainstPeers(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const trial of trials) figures.push(...(await play(trial)));
  return figures;
}
