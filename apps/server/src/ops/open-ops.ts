import {
  defaultListenerLimits,
  type ListenerLimits,
  openListener,
  send,
  sendFilesFrom,
  setHeader,
} from '@animal-store/http-server';
import type { RequestHandler } from 'express';
import {
  authenticateOperator,
  type Identify,
  type OperatorAuthentication,
  trustLocalUser,
} from './authenticate-operator.ts';
import { readConsoleFiles } from './console-files.ts';
import { openLocalSocket } from './local-socket.ts';
import { createOpsApp, type OpsAppOptions } from './ops-app.ts';
import type { OpsSettings } from './ops-settings.ts';

/**
 * Opens the ops listener.
 *
 * @throws {StartupError} if the port or the host is not available.
 */
export async function openOps(
  options: Partial<ListenerLimits> &
    OpsSettings &
    OperatorAuthentication &
    Omit<OpsAppOptions, 'identify' | 'consoleFiles'> & {
      /**
       * The directory with the Unix socket for the user who runs the embedded server; `undefined`
       * with Postgres.
       */
      dataDir: string | undefined;
      report: (failure: unknown, requestId?: string) => void;
    },
) {
  const { dataDir, closeTimeoutMs = defaultListenerLimits.closeTimeoutMs } = options;
  // The files of the console need no token. They are the same for everyone, and all data comes from
  // the admin API.
  const sendConsole = sendFilesFrom(readConsoleFiles);
  const consoleFiles = {
    '/console': sendConsole,
    '/console/': redirectToConsole,
    '/console/:file': sendConsole,
  };
  const createApp = (identify: Identify) => createOpsApp({ ...options, identify, consoleFiles });

  await using opened = new AsyncDisposableStack();
  if (dataDir !== undefined) {
    const socket = await openLocalSocket(dataDir, createApp(trustLocalUser));
    opened.defer(() => socket.close());
  }
  const identify = authenticateOperator(options);
  const listener = await openListener({ ...options, variables: 'OPS_' }, () => createApp(identify));
  const kept = opened.move();
  return {
    /** The address of the listener, in the form `http://host:port`. */
    origin: listener.origin,
    async close() {
      await listener.close(closeTimeoutMs);
      await kept.disposeAsync();
    },
  };
}

/** Redirects to the console, because people also type its address with a slash at the end. */
const redirectToConsole: RequestHandler = (_req, res) => {
  setHeader(res, 'Location', '/console');
  setHeader(res, 'Content-Type', 'text/plain; charset=utf-8');
  send(res.status(302), 'The console is at /console.');
};
