/** Every reporter on the same runs: they agree on the verdict, and nothing a target says comes through as code. */

import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { reporters } from '../../reporters/index.ts';
import type { Report } from '../../verdict/report.ts';
import { hostile, sampleReport } from './sample-report.ts';

/** A run against a server that says all of it wherever it can. */
async function judgeHostile(): Promise<Report> {
  const { handle } = createPetStore({ keys: trialKeys });
  return runInProcess((request, now) => {
    const answer = handle(request, now);
    const body = answer.body.replaceAll(
      /"(name|message|status)":"[^"]*"/g,
      (_field, name: string) => `"${name}":${JSON.stringify(hostile)}`,
    );
    const headers = { ...answer.headers, 'X-RateLimit-Limit': hostile.replace(/[^\x20-\x7e]/g, '') };
    return { ...answer, body, headers };
  }, trialSettings(300));
}

/** Interactions of a pact that say all of it too. */
const hostileInteractions = (['pass', 'fail', 'pending', 'not-verifiable'] as const).map((verdict) => ({
  consumer: hostile,
  description: hostile,
  states: [hostile],
  verdict,
  messages: [hostile],
  exchanges: [1],
}));

const hostileReport: Report = { ...(await judgeHostile()), interactions: hostileInteractions };
const goodReport = await runInProcess(
  createPetStore({ keys: trialKeys }).handle,
  trialSettings(60, { plan: 'business' }),
);

test('the hostile server is failed, so there is something to show', () => {
  assert.is(hostileReport.exitCode, 1);
  assert.ok(hostileReport.requirements.filter(({ failures }) => failures.length > 0).length > 5);
});

for (const [name, reporter] of Object.entries(reporters)) {
  test(`${name} lets no control character, no bidi and no lone surrogate through`, () => {
    for (const report of [hostileReport, sampleReport]) {
      const text = reporter(report);
      assert.not.match(text, /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\u2066\ufeff\ufffe]/);
      assert.ok(text.isWellFormed());
    }
  });

  test(`${name} lets nothing begin a command of a CI that shows it`, () => {
    for (const report of [hostileReport, sampleReport]) {
      const text = reporter(report);
      assert.not.match(text, /##\w*\[/);
      if (name !== 'github') assert.not.match(text, /^\s*::/m);
    }
  });

  test(`${name} is a pure function of the report`, () => {
    assert.is(reporter(hostileReport), reporter(structuredClone(hostileReport)));
  });
}

test('junit is well-formed XML, whose numbers are those of the report', () => {
  for (const report of [hostileReport, goodReport]) {
    const text = reporters.junit(report);
    assert.is(XMLValidator.validate(text), true);
    const { testsuites } = new XMLParser({ ignoreAttributes: false }).parse(text);
    const judged = [...report.requirements, ...(report.interactions ?? [])];
    assert.is(Number(testsuites['@_tests']), judged.length + 1);
    assert.is(Number(testsuites['@_failures']), judged.filter(({ verdict }) => verdict === 'fail').length);
    const suites: readonly { readonly testcase: object | readonly object[] }[] = testsuites.testsuite;
    assert.is(suites.flatMap(({ testcase }) => testcase).length, judged.length + 1);
    assert.not.match(text, /<script|<img/);
  }
});

test('html holds no markup but its own, loads nothing and runs one script of its own', () => {
  const text = reporters.html(hostileReport);
  const tags = [...text.matchAll(/<([a-z0-9]+)/gi)].map(([, tag]) => tag!.toLowerCase());
  assert.is(tags.filter((tag) => tag === 'script').length, 1);
  assert.not.ok(['img', 'iframe', 'link', 'object', 'b'].some((tag) => tags.includes(tag)));
  assert.not.match(text, /<[^>]*\s(on\w+=|(src|href)="(?!#))/);
  assert.match(text, /default-src &#39;none&#39;; script-src &#39;sha256-/);
});

test('markdown holds no HTML, and its fences are ended by nothing inside', () => {
  const text = reporters.markdown(hostileReport);
  const lines = text.split('\n');
  let fenceLine: string | undefined;
  for (const line of lines) {
    const ticks = /^`{3,}/.exec(line)?.[0];
    if (fenceLine === undefined) {
      assert.not.match(line.replaceAll(/`[^`]*`/g, ''), /<[a-z/!]|!\[|\]\(|(^|\s)@\w/i, line);
      if (ticks !== undefined) fenceLine = ticks;
    } else if (line === fenceLine) fenceLine = undefined;
  }
  assert.is(fenceLine, undefined);
});

test('github writes one command on each line and none that the target wrote', () => {
  const lines = reporters.github(hostileReport).trimEnd().split('\n');
  for (const line of lines) assert.match(line, /^::(error|warning|notice) title=[^:,\n]*::/);
  assert.match(
    lines.at(-1)!,
    /^::error title=petstore-conformance::Does not conform \(\d+ of \d+ requirements fail.*\): http:\/\/in-process\/v1%0A/,
  );
  assert.match(
    reporters.github(goodReport),
    /^::notice title=petstore-conformance::Conforms \(\d+ of \d+ requirements pass\): http:\/\/in-process\/v1%0A\d+ requirements: .*\.\n$/,
  );
});

test.run();
