/** Measures runs against the embedded server, memory and time: node conformance/test/benchmark.ts */

import { spawn } from 'node:child_process';

const cli = new URL('../cli.ts', import.meta.url).pathname;
/** Loaded before the command: tells its peak of memory, kilobytes, when it ends. */
const tellMemory = 'data:text/javascript,process.on("exit",()=>console.error(process.resourceUsage().maxRSS))';

function measure(maxRequests: number): Promise<string> {
  const args = ['run', '--max-requests', String(maxRequests), '--seed', '1'];
  const beganAt = performance.now();
  const child = spawn(process.execPath, ['--import', tellMemory, cli, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      const seconds = ((performance.now() - beganAt) / 1000).toFixed(1);
      const mebibytes = Math.round(Number(errors.trim().split('\n').at(-1)) / 1024);
      resolve(`--max-requests ${maxRequests}: exit ${code}, ${seconds} s, ${mebibytes} MiB at most`);
    });
  });
}

for (const maxRequests of [60, 300, 5_000]) console.log(await measure(maxRequests));
