/** Bodies travel byte by byte, also where they are not UTF-8. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeBody, inUtf16, rawBytes } from '../../http/body-bytes.ts';

test('a body is sent in UTF-8, but for the bytes that stand for themselves', () => {
  assert.equal(encodeBody('{"é🦄💀"}'), Buffer.from('{"é🦄💀"}'));
  assert.equal(encodeBody(`a${rawBytes(0x80, 0xff)}é`), Buffer.from([0x61, 0x80, 0xff, 0xc3, 0xa9]));
});

test('UTF-16 is sent in either order', () => {
  assert.equal(encodeBody(inUtf16('\ufeffé', 'little-endian')), Buffer.from([0xff, 0xfe, 0xe9, 0x00]));
  assert.equal(encodeBody(inUtf16('\ufeffé', 'big-endian')), Buffer.from([0xfe, 0xff, 0x00, 0xe9]));
});

test.run();
