import { findProgram, hangMs } from '@animal-store/testkit';
import { type Browser, chromium } from 'playwright-core';

/** Starts a headless Chromium that asks nobody for anything of its own, and reaches this machine only. */
export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: await findProgram('chromium'),
    timeout: hangMs,
    args: [
      // Chromium's sandbox refuses to run as root, as containers do.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-gpu',
      '--disable-quic',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--no-first-run',
    ],
  });
}
