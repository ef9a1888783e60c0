/** The browser of this machine, to look at pages as a reader does. */

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

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

/** Throws where there is no browser, and says how to get one. */
export function launchChromium(): Promise<Browser> {
  const places = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser'];
  const executablePath = places.find((place) => place !== '' && existsSync(place));
  if (executablePath !== undefined) return chromium.launch({ executablePath, args: flags });
  throw new Error(
    'There is no Chromium: install it with `apt-get update && apt-get install -y chromium`, or name one in CHROMIUM.',
  );
}
