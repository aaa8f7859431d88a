import { findProgram } from './program.ts';
import { hangMs } from './time-limits.ts';

/**
 * How to launch the machine's Chromium with Playwright: without a window, asking nobody for anything of its own, and
 * reaching this machine only.
 */
export async function chromiumOptions() {
  return {
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
  };
}
