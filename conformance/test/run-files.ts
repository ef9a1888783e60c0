/** Runs test files one after the other in this process: npm run test:file FILE… */

import { resolve } from 'node:path';
import { run } from 'uvu/run';

const files = process.argv.slice(2);
if (files.length === 0) throw new Error('Name a test file: npm run test:file FILE…');
await run(files.map((name) => ({ name, file: resolve(name) })));
