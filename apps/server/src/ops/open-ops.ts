import { defaultListenerLimits, type ListenerLimits } from '../http/http-settings.ts';
import { openListener } from '../http/listener.ts';
import { sendFilesFrom } from '../http/send-file.ts';
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
  const consoleFiles = { '/console': sendConsole, '/console/:file': sendConsole };
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
