/** Runs test files one after the other in this process: node conformance/test/run-files.ts FILE… */

import { resolve } from 'node:path';
import { run } from 'uvu/run';

await run(process.argv.slice(2).map((name) => ({ name, file: resolve(name) })));
