/** A program of a user: judges the embedded server, starts a server of its own, and reads what the package ships. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { judge, render, requirements } from 'petstore-conformance';
import { findFault } from 'petstore-conformance/faults';
import { startServer } from 'petstore-conformance/reference-server';

const require = createRequire(import.meta.url);
const embedded = await judge({ isEmbedded: true, maxRequests: 60 });

async function judgeServer(options) {
  const server = await startServer(options);
  const report = await judge({ baseUrl: server.url, apiKey: server.key, maxRequests: 60, plan: 'business' });
  await server.close();
  return report;
}

const own = await judgeServer({});
const broken = await judgeServer({ faults: [findFault('error-status-always-400')] });

console.log(
  JSON.stringify({
    node: process.versions.node,
    version: require('petstore-conformance/package.json').version,
    kit: embedded.kit.version,
    verdicts: [embedded.verdict, own.verdict, broken.verdict],
    requirements: requirements.length,
    html: render(own, 'html').slice(0, 15),
    schema: require('petstore-conformance/report.schema.json').title,
    openapi: readFileSync(new URL(import.meta.resolve('petstore-conformance/openapi.yaml')), 'utf8').split('\n')[0],
  }),
);
