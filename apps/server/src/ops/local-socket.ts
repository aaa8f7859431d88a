import { rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { localSocketPath } from '@animal-store/runtime';

/**
 * Opens an HTTP server on the Unix socket of a data directory. This process must have locked the
 * directory.
 */
export async function openLocalSocket(dataDir: string, handler: RequestListener) {
  const path = localSocketPath(dataDir);
  // After `kill -9`, the socket file still exists. No other process uses the socket, because this
  // process has locked the data directory.
  if (process.platform !== 'win32') rmSync(path, { force: true });
  const server = createServer(handler);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    // The umask makes the socket private when it is created. A `chmod` after `listen` would be too
    // late, because a user who has already connected stays connected.
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
