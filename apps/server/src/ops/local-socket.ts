import { rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { localSocketPath } from '@animal-store/runtime';

/** Listens on the Unix socket of a data directory that this process has locked. */
export async function openLocalSocket(dataDir: string, handler: RequestListener) {
  const path = localSocketPath(dataDir);
  // `kill -9` leaves the socket behind. No other process listens on it, because this process has
  // locked the data directory.
  if (process.platform !== 'win32') rmSync(path, { force: true });
  const server = createServer(handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // `listen` creates the socket before it returns. A `chmod` after it would be too late, because
    // a user who has connected before stays connected.
    const umask = process.umask(0o177);
    try {
      server.listen(path, resolve);
    } finally {
      process.umask(umask);
    }
  });
  return {
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
