import { conformanceTests } from 'petstore-conformance';

await conformanceTests({ test, baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_KEY, maxRequests: 60 });
