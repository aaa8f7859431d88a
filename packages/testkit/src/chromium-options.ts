import { findProgram } from './program.ts';
import { hangMs } from './time-limits.ts';

/**
 * Returns the options with which Playwright starts the machine's Chromium. The browser has no
 * window, sends no requests by itself, and can reach only this machine.
 */
export async function chromiumOptions() {
  return {
    executablePath: await findProgram('chromium'),
    timeout: hangMs,
    args: [
      // The sandbox of Chromium refuses to run as root, so tests that run as root (as in most
      // containers) switch the sandbox off.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-gpu',
      '--disable-quic',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--no-first-run',
    ],
  };
}
