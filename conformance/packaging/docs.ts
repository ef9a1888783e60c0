/** Builds the pages of build/docs/: the interface, and the API reference of the package. */

import { mkdirSync } from 'node:fs';
import { writeApiReference } from './api-reference.ts';
import { writeInterfacePage } from './interface-page.ts';

const folder = new URL('../../build/docs/', import.meta.url).pathname;

mkdirSync(folder, { recursive: true });
writeInterfacePage(`${folder}index.html`);
writeApiReference(`${folder}api/`);
console.log(`The interface: ${folder}index.html\nThe package for programs: ${folder}api/index.html`);
