import { findProgram } from './program.ts';
import { hangMs } from './time-limits.ts';

/**
 * Returns the options that launch the machine's Chromium with Playwright: without a window, without
 * requests of its own, and with access to this machine only.
 */
export async function chromiumOptions() {
  return {
    executablePath: await findProgram('chromium'),
    timeout: hangMs,
    args: [
      // Chromium's sandbox refuses to run as root, which is usual in containers.
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
