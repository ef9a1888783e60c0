/** A target that answers after 100 ms: slow-target.ts PORT KEY */

import { startServer } from '../../../reference-server/twin/index.ts';

const [, , port, key = ''] = process.argv;
await startServer({
  port: Number(port),
  keys: [{ key, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }],
  latencyMs: 100,
});
