/** The style sheet: light and dark, on a phone, and in print. */

import { markup } from '../markup.ts';

/** Every tone has a contrast of at least 4.5 to the background, and to its own tint. */
export const style = markup`
:root {
  color-scheme: light dark;
  --paper: light-dark(#ffffff, #0d1117); --ink: light-dark(#1b1f24, #e6edf3);
  --quiet: light-dark(#57606a, #9aa4af); --line: light-dark(#d0d7de, #343b44);
  --sunk: light-dark(#f5f7f9, #161c24); --link: light-dark(#0757ba, #6cb6ff);
  --good: light-dark(#116329, #56d364); --bad: light-dark(#b3202c, #ff8a82); --doubt: light-dark(#7a4b00, #e3b341);
  --tone: var(--quiet);
}
.pass { --tone: var(--good); }
.fail, .error { --tone: var(--bad); }
.warn, .waived, .inconclusive, .pending, .not-verifiable { --tone: var(--doubt); }
.skipped, .not-applicable { --tone: var(--quiet); }
.mark {
  display: inline-grid; place-content: center; min-width: 1.75rem; min-height: 1.75rem; padding: 0 .35rem;
  border: 1px solid var(--tone); border-radius: 4px; box-sizing: border-box;
  background: color-mix(in srgb, var(--tone) 9%, var(--paper)); color: var(--tone);
  font-weight: 650; font-size: .85rem; line-height: 1.2; text-decoration: none; white-space: nowrap;
}
.skipped.mark, .not-applicable.mark { border-style: dashed; font-weight: 400; }
body {
  max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.7rem; line-height: 1.25; margin: .3rem 0; display: flex; gap: .7rem; align-items: flex-start; }
h1 .mark { font-size: 1.3rem; min-width: 2.3rem; min-height: 2.3rem; }
h1 small { display: block; font-size: 1rem; font-weight: 400; color: var(--quiet); }
header p { margin: .2rem 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .6rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; white-space: pre-wrap; }
h4 { font-size: .95rem; margin: .9rem 0 .2rem; }
p { margin: .4rem 0; }
a { color: var(--link); }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre { margin: .4rem 0; padding: .6rem .7rem; background: var(--sunk); border: 1px solid var(--line); border-radius: 4px; white-space: pre-wrap; }
pre mark { display: inline-block; background: color-mix(in srgb, var(--bad) 14%, var(--paper)); color: inherit; outline: 1px solid var(--bad); }
pre i { color: var(--quiet); }
ul { padding: 0; margin: 0; list-style: none; }
summary { cursor: pointer; padding: .3rem 0; }
:target { scroll-margin-top: 3rem; outline: 2px solid var(--link); outline-offset: 3px; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.quiet { color: var(--quiet); }
.toned { color: var(--tone); }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: .8rem 0; }
li { padding: .35rem 0; }
.marked { display: grid; grid-template-columns: 8.2rem 1fr; gap: .1rem .8rem; }
.marked > .mark { justify-self: start; align-self: start; }
.marked p, li p { margin: .1rem 0; }
section > ul > li, article:not([id]) li { border-bottom: 1px solid var(--line); }
article[id] { margin: 1rem 0; padding: .7rem .9rem; border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: 4px; }
article[id] h3 { margin-top: 0; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0 1rem; }
.sides > div { min-width: 0; }
.command { max-height: 12rem; overflow: auto; }
figure { margin: 0; min-width: 0; }
svg { display: block; width: 100%; max-width: 36rem; height: auto; font: 11.5px system-ui, sans-serif; }
svg text { fill: var(--quiet); } svg .axis { fill: none; stroke: var(--line); }
svg .line { fill: none; stroke: var(--link); stroke-width: 1.5; }
svg .wait { fill: var(--doubt); fill-opacity: .16; }
@media (max-width: 40rem) {
  body { padding: .7rem .8rem 3rem; }
  h1 { font-size: 1.3rem; } h2 { margin-top: 1.4rem; }
  nav ul { flex-wrap: nowrap; overflow-x: auto; white-space: nowrap; margin: .4rem 0; }
  .marked { grid-template-columns: 1fr; }
}
@media print {
  :root { color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav { display: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
  summary { list-style: none; }
  .command { max-height: none; }
  figure, li { break-inside: avoid-page; }
}`;
