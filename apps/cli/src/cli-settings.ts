import { defaultOpsPort, expectedAdminToken, isAdminToken } from '@animal-store/admin-contract';
import {
  type Environment,
  type EnvironmentReader,
  isHttpOrigin,
  namesOf,
  ports,
  readDataDir,
  readSettings,
} from '@animal-store/runtime';

const settingsOf = (env: EnvironmentReader) => ({
  /**
   * The address of the operators' listener; `undefined` for the socket of the server on `dataDir`.
   */
  opsUrl: env.text(
    'OPS_URL',
    isHttpOrigin,
    'an origin without a path, such as http://127.0.0.1:3001',
  ),
  /** The address if only a token is given. */
  ownUrl: `http://127.0.0.1:${env.number('OPS_PORT', ports, defaultOpsPort)}`,
  adminToken: env.text('ADMIN_TOKEN', isAdminToken, expectedAdminToken),
  dataDir: readDataDir(env),
});

/** The names of all variables that the commands read. */
export const cliVariables = namesOf(settingsOf);

/**
 * Reads the settings of the commands. Only this file reads the environment.
 *
 * @throws {StartupError} that names every invalid variable, a line each.
 */
export const readCliSettings = (environment: Environment = process.env) =>
  readSettings(settingsOf, environment);
