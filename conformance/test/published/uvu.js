import { conformanceTests } from 'petstore-conformance';
import { test } from 'uvu';

await conformanceTests({ test, baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_KEY, maxRequests: 60 });

test.run();
