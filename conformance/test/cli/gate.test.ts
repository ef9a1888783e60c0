/** What makes a run look like a gate, and which runs may go without an address. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requireAddress, signOfGate } from '../../options/gate.ts';

test('a variable of the kit, one that is misspelt, and CI look like a gate', () => {
  for (const [environment, sign] of [
    [{}, undefined],
    [{ PATH: '/bin', MY_PETSTORE_KEY: 'x', PETSTORES_URL: 'x' }, undefined],
    [{ PETSTORE_API_KEY: 'x', CI: 'true' }, 'PETSTORE_API_KEY is set'],
    [{ Pet_Store_Url: '' }, 'Pet_Store_Url is set'],
    [{ CI: 'woodpecker' }, 'CI is set'],
    [{ CI: '1' }, 'CI is set'],
    // A developer has switched it off.
    [{ CI: '' }, undefined],
    [{ CI: '0' }, undefined],
    [{ CI: 'False' }, undefined],
  ] as const) {
    assert.is(signOfGate(environment), sign, JSON.stringify(environment));
  }
});

test('without an address the embedded server is judged by name, or where nothing looks like a gate', () => {
  const how = { advice: 'give one', byName: '--embedded' };
  const sentenceFor = (options: Parameters<typeof requireAddress>[0], sign?: string): string => {
    try {
      requireAddress(options, sign, how);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  const unasked = 'No base address is given, and CI is set: give one. --embedded judges the embedded reference server.';
  for (const [options, sign, sentence] of [
    [{ baseUrl: 'http://host/v1', isEmbedded: false }, 'CI is set', ''],
    [{ isEmbedded: true }, 'CI is set', ''],
    [{}, undefined, ''],
    [{}, 'CI is set', unasked],
    [{ isEmbedded: false }, undefined, 'No base address is given: give one.'],
    [{ isEmbedded: false }, 'CI is set', 'No base address is given: give one.'],
  ] as const) {
    assert.is(sentenceFor(options, sign), sentence, JSON.stringify([options, sign]));
  }
});

test.run();
