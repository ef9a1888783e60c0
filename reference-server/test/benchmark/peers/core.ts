/** The reference server, with limits that are never reached: core.ts KEY ANIMALS */

import { createPetStore, listen } from '../../../index.ts';
import { announce } from '../announce.ts';

const [, , key = '', count] = process.argv;
const animals = Array.from({ length: Number(count) }, (_nothing, at) => {
  const status = (['available', 'pending', 'sold'] as const)[at % 3]!;
  return { name: `Animal ${at + 1}`, categoryId: BigInt((at % 10) + 1), status };
});
const keys = [{ key, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }] as const;
announce((await listen(createPetStore({ keys, animals }).handle, { port: 0 })).url);
