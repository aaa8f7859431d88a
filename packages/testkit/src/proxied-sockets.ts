import type { Socket } from 'node:net';

/** Breaks a connection by a reset, as a peer that is gone does. */
export function reset(socket: Socket): void {
  // Node would wait for the connection before it resets it, and a frozen target never connects.
  if (socket.connecting) socket.destroy();
  else socket.resetAndDestroy();
}

/** The same URL, with the host and port of a proxy. */
export function urlVia(url: string, { host, port }: { host: string; port: number }): string {
  const through = new URL(url);
  through.host = `${host}:${port}`;
  return through.href;
}
