/** A target that answers after 100 ms: slow-target.ts KEY */

import { announce } from '../../../reference-server/test/benchmark/announce.ts';
import { startServer } from '../../../reference-server/twin/index.ts';

const [, , key = ''] = process.argv;
const { url } = await startServer({
  keys: [{ key, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }],
  latencyMs: 100,
});
announce(new URL(url).origin);
