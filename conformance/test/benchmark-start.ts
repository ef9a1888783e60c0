/** Measures whole processes of what is built, `npm run build` first: node conformance/test/benchmark-start.ts */

import { spawnSync } from 'node:child_process';

const dist = new URL('../../dist/', import.meta.url).pathname;
const starts = 15;

/** Milliseconds that one start takes, and those of the processors for it. */
function measure(file: string, words: readonly string[]): { readonly wall: number; readonly cpu: number } {
  const beganAt = performance.now();
  const tellCpu = 'data:text/javascript,process.on("exit",()=>console.error(JSON.stringify(process.cpuUsage())))';
  const { stderr, status } = spawnSync(process.execPath, ['--import', tellCpu, `${dist}${file}`, ...words]);
  const wall = performance.now() - beganAt;
  if (status !== 0) throw new Error(`${file} ${words.join(' ')} ended with ${status}.`);
  const { user, system } = JSON.parse(String(stderr).trim().split('\n').at(-1)!) as NodeJS.CpuUsage;
  return { wall, cpu: (user + system) / 1000 };
}

function median(values: readonly number[]): number {
  return Math.round([...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]!);
}

for (const file of ['petstore-conformance.js', 'single/petstore-conformance.mjs']) {
  for (const words of [['--help'], ['run', '--max-requests', '60']]) {
    const measured = Array.from({ length: starts }, () => measure(file, words));
    const [wall, cpu] = [measured.map((one) => one.wall), measured.map((one) => one.cpu)].map(median);
    console.log(`${file} ${words.join(' ')}: median ${wall} ms, ${cpu} ms of the processors`);
  }
}
