/** A service is started and waited for; a gateway in front of it may answer before it does. */

import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startService } from '../../cli/start-service.ts';

for (const status of [502, 503, 504]) {
  test(`a gateway that answers ${status} is not taken for the service, neither before its start nor after it`, async () => {
    let asked = 0;
    const gateway = createServer((_request, response) => {
      asked += 1;
      response.writeHead(asked <= 2 ? status : 401).end();
    });
    await once(gateway.listen(0, '127.0.0.1'), 'listening');
    const baseUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1`;
    const { signal } = new AbortController();
    try {
      const service = await startService({ command: 'sleep 600', baseUrl, redact: String, signal });
      await service.end();
      rmSync(dirname(service.outputFile), { recursive: true });
      assert.equal([asked, service.endedEarly], [3, undefined]);
    } finally {
      gateway.close();
    }
  });
}

test.run();
