import { defaultOpsPort, expectedAdminToken, isAdminToken } from '@animal-store/admin-contract';
import {
  type Environment,
  type EnvironmentReader,
  namesOf,
  ports,
  readDataDir,
  readSettings,
} from '@animal-store/runtime';

const settingsOf = (env: EnvironmentReader) => ({
  /**
   * The URL of the ops listener, the port of the service for operators. If the URL is `undefined`,
   * commands use the Unix socket in `dataDir`.
   */
  opsUrl: env.origin('OPS_URL', 'an origin without a path, such as http://127.0.0.1:3001'),
  /** The default URL when only a token is given. */
  ownUrl: `http://127.0.0.1:${env.number('OPS_PORT', ports, defaultOpsPort)}`,
  adminToken: env.text('ADMIN_TOKEN', isAdminToken, expectedAdminToken),
  dataDir: readDataDir(env),
});

/** The names of all environment variables that the CLI reads. */
export const cliVariables = namesOf(settingsOf);

/**
 * Reads the settings of the CLI. No other file of the CLI reads the environment.
 *
 * @throws {StartupError} with one line for each invalid variable.
 */
export const readCliSettings = (environment: Environment = process.env) =>
  readSettings(settingsOf, environment);
