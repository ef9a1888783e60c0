/** A program of a user: judges the embedded server, starts a server of its own, and reads what the package ships. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { judge, render, requirements } from 'petstore-conformance';
import { createPetStore, listen } from 'petstore-conformance/reference-server';

const require = createRequire(import.meta.url);
const store = createPetStore({ keys: [{ key: 'a-key-of-mine', plan: 'business' }] });
const server = await listen(store.handle, { port: 0 });
const embedded = await judge({ maxRequests: 60 });
const own = await judge({ baseUrl: `${server.url}/v1`, apiKey: 'a-key-of-mine', maxRequests: 60, plan: 'business' });
await server.close();

console.log(
  JSON.stringify({
    node: process.versions.node,
    version: require('petstore-conformance/package.json').version,
    kit: embedded.kit.version,
    verdicts: [embedded.verdict, own.verdict],
    statements: requirements.length,
    html: render(own, 'html').slice(0, 15),
    schema: require('petstore-conformance/report.schema.json').title,
    openapi: readFileSync(new URL(import.meta.resolve('petstore-conformance/openapi.yaml')), 'utf8').split('\n')[0],
  }),
);
