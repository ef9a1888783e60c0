/** Content codings are undone where node knows them; otherwise the content is unknown. */

import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { longestCaptured } from '../../traffic/captured-exchange.ts';
import { decodeContent, readableCodings } from '../../traffic/content-coding.ts';

const long = Buffer.alloc(longestCaptured + 1);

/** A body, its Content-Encoding, and its content or why that is unknown. */
const bodies: readonly (readonly [body: Buffer, contentEncoding: string | undefined, content: string])[] = [
  [Buffer.from('[]'), undefined, '[]'],
  [Buffer.from('[]'), 'identity', '[]'],
  [gzipSync('[]'), 'GZIP', '[]'],
  [gzipSync('[]'), 'x-gzip', '[]'],
  [deflateSync('[]'), 'deflate', '[]'],
  [deflateRawSync('[]'), 'deflate', '[]'],
  [brotliCompressSync('[]'), 'br', '[]'],
  [zstdCompressSync('[]'), 'zstd', '[]'],
  [gzipSync(brotliCompressSync('[]')), 'br, gzip', '[]'],
  [gzipSync(brotliCompressSync('[]')), 'gzip, br', 'not-decoded'],
  [Buffer.from('[]'), 'compress', 'not-decoded'],
  [gzipSync('[]').subarray(0, 12), 'gzip', 'not-decoded'],
  [Buffer.alloc(0), 'gzip', ''],
  [long, undefined, 'too-long'],
  [gzipSync(long), 'gzip', 'too-long'],
  [brotliCompressSync(long), 'br', 'too-long'],
  [zstdCompressSync(long), 'zstd', 'too-long'],
];

test('a body is read without its content codings, in the order in which they were applied', () => {
  for (const [body, contentEncoding, content] of bodies) {
    assert.is(String(decodeContent(body, contentEncoding)), content, contentEncoding);
  }
});

test('only content codings that can be read are asked for, or none', () => {
  for (const [asked, sent] of [
    ['gzip, deflate, br, zstd', 'gzip, deflate, br, zstd'],
    ['gzip, dcb;q=1, *;q=0', 'gzip, *;q=0'],
    ['compress', 'identity'],
    ['', 'identity'],
  ] as const) {
    assert.is(readableCodings(asked), sent);
  }
});

test.run();
