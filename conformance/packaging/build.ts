/** Builds what is published: the package into dist/, and the command as one file into dist/single/, for teams without npm. */

import { rmSync } from 'node:fs';
import { bundleKit, bundleSingleFile } from './bundle.ts';

const dist = new URL('../../dist/', import.meta.url).pathname;

rmSync(dist, { recursive: true, force: true });
await bundleSingleFile(`${dist}single/petstore-conformance.mjs`, await bundleKit(dist));
