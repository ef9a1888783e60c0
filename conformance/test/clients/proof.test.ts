/** Every faulty client is found and named, no careful one fails, and every requirement that can be shown is broken by one. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientRequirements } from '../../../spec/client-requirements.ts';
import { judgeClient } from '../../clients/judge-client.ts';
import { amongOthers, services } from '../../clients/services.ts';
import { sentenceOf } from '../../verdict/failure.ts';
import { carefulClients } from './examples/careful/index.ts';
import type { ExampleClient } from './examples/example-client.ts';
import { faultyClients } from './examples/faulty/index.ts';
import { clientOf, explore } from './exploring.ts';
import { workedConsumer } from './worked-consumer.ts';

/** The requirements that a client breaks, each with the verdict and the first failure. */
async function brokenBy({ run }: ExampleClient) {
  const made = await explore(clientOf(run), { concurrency: 2 });
  const broken = judgeClient(made).flatMap(({ requirement: { id }, verdict, failures: [first] }) =>
    first === undefined ? [] : [{ id, verdict, sentence: sentenceOf(first.failure) }],
  );
  return { broken, isPassed: made.usual.isPassed };
}

for (const client of faultyClients) {
  test(`the faulty client ${client.id} is found and named`, async () => {
    const { broken } = await brokenBy(client);
    const named = broken.map(({ id }) => id);
    assert.equal(
      client.breaks.filter((id) => !named.includes(id)),
      [],
      named.join(),
    );
  });
}

// The worked consumer of pacts/ is a careful client too.
for (const client of [...carefulClients, workedConsumer]) {
  test(`no service fails the careful client ${client.id}`, async () => {
    const { broken, isPassed } = await brokenBy(client);
    assert.ok(isPassed);
    assert.equal(
      broken.filter(({ verdict }) => verdict === 'fail'),
      [],
    );
  });
}

test('every requirement that can be shown is broken by a faulty client', () => {
  const broken = new Set(faultyClients.flatMap(({ breaks }) => breaks));
  const shown = new Set([amongOthers, ...services].map(({ requirement }) => requirement));
  const canBeShown = clientRequirements.filter(({ id }) => !id.startsWith('any-') || shown.has(id));
  assert.equal(
    canBeShown.map(({ id }) => id).filter((id) => !broken.has(id)),
    [],
  );
});

test('ids of clients are unique, those of requirements, and those of services', () => {
  for (const all of [[...faultyClients, ...carefulClients], clientRequirements, [amongOthers, ...services]]) {
    const ids = all.map(({ id }) => id);
    assert.is(new Set<string>(ids).size, ids.length);
  }
});

test.run();
