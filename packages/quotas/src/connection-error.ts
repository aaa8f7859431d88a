import type { Cluster, Redis } from 'ioredis';

/** The error of a connection. It has the code of Node if the network or TLS caused it. */
export type ConnectionError = Error & { readonly code?: string | undefined };

/**
 * The message with which ioredis rejects a command whose connection failed. The reason is only in
 * the event `error` of that connection.
 */
export const closedMessage = 'Connection is closed.';

/**
 * Calls a listener with the reason of each error of a connection.
 *
 * If all nodes of a Cluster have failed, the error of ioredis contains the error of the last node.
 * That is often only the rejected command. Then the listener gets the last error of a node's
 * connection, such as a refused connection or certificate.
 */
export function onConnectionError(
  redis: Redis | Cluster,
  listener: (error: ConnectionError) => void,
): void {
  let ofNode: ConnectionError | undefined;
  redis.on('node error', (error: ConnectionError) => {
    if (error.message !== closedMessage) ofNode = error;
  });
  redis.on('ready', () => {
    ofNode = undefined;
  });
  redis.on('error', (error: ConnectionError & { lastNodeError?: ConnectionError }) => {
    const reason = error.lastNodeError ?? error;
    listener(reason.message === closedMessage ? (ofNode ?? reason) : reason);
  });
}
