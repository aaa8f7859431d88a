import { type ListenerLimits, openListener } from '../http/listener.ts';
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

/** @throws {StartupError} if the port or the host cannot be had. */
export async function openOps(
  options: ListenerLimits &
    OperatorAuthentication &
    Omit<OpsAppOptions, 'identify' | 'consoleFiles'> & {
      opsHost: string;
      opsPort: number;
      /** Holds the socket of the embedded server's own user; `undefined` with Postgres. */
      dataDir: string | undefined;
      report: (failure: unknown, requestId?: string) => void;
    },
) {
  const { dataDir, opsHost: host, opsPort: port } = options;
  // They need no token: they are the same for everybody, and what they show comes from the admin API.
  const sendConsole = sendFilesFrom(readConsoleFiles);
  const consoleFiles = { '/console': sendConsole, '/console/:file': sendConsole };
  const createApp = (identify: Identify) => createOpsApp({ ...options, identify, consoleFiles });

  await using opened = new AsyncDisposableStack();
  if (dataDir !== undefined) {
    const socket = await openLocalSocket(dataDir, createApp(trustLocalUser));
    opened.defer(() => socket.close());
  }
  const identify = authenticateOperator(options);
  const listener = await openListener({ ...options, host, port, settings: 'OPS_' }, () => ({
    app: createApp(identify),
  }));
  const kept = opened.move();
  return {
    /** Where it is, as `http://host:port`. */
    origin: listener.origin,
    async close(graceMs: number) {
      await listener.close(graceMs);
      await kept.disposeAsync();
    },
  };
}
