/** The browser of this machine, to look at pages as a reader does. */

import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';

/** It asks nobody for anything, and has a profile of its own that is empty and removed. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** How a developer gets a browser. */
export const chromiumAdvice =
  'install it with `apt-get update && apt-get install -y chromium`, or name one in CHROMIUM';

/** The path of the browser; undefined where the machine has none. */
export function findChromium(): string | undefined {
  const places = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser'];
  return places.find((place) => place !== '' && existsSync(place));
}

/** Throws where there is no browser, and says how to get one. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(`There is no Chromium: ${chromiumAdvice}.`);
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath, args: flags });
}
