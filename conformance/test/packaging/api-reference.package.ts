/** The API of the package as pages: everything that is exported has words of its own, or there are no pages. */

import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeApiReference } from '../../packaging/api-reference.ts';

const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-api-'));

test('every entry of the package is described, with what it exports, and loads nothing from elsewhere', () => {
  writeApiReference(folder);
  for (const page of [
    'functions/petstore-conformance.judge.html',
    'interfaces/petstore-conformance.JudgeOptions.html',
    'functions/petstore-conformance_reference-server.startServer.html',
    'functions/petstore-conformance_faults.findFault.html',
    'functions/petstore-conformance_pacts.petStorePact.html',
  ]) {
    assert.ok(existsSync(join(folder, page)), page);
  }
  const judge = readFileSync(join(folder, 'interfaces/petstore-conformance.JudgeOptions.html'), 'utf8');
  assert.ok(judge.includes('The API key of the target (§5). It enters no report.'));
  for (const page of globSync('**/*.html', { cwd: folder })) {
    const text = readFileSync(join(folder, page), 'utf8');
    assert.not.match(text, /<(script|link|img)[^>]*(src|href)="(https?:)?\/\//, page);
  }
});

test.after(() => rmSync(folder, { recursive: true }));

test.run();
