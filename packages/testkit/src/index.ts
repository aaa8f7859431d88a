export { chromiumOptions } from './chromium-options.ts';
export { copyEmbeddedSnapshot } from './embedded-snapshot.ts';
export { freePort } from './free-port.ts';
export type { ProcessExit } from './guarded-process.ts';
export { memoryDirectory } from './memory-directory.ts';
export { nodeFlags } from './node-flags.ts';
export { openPostgres, type Postgres, type PostgresOptions } from './postgres.ts';
export {
  type PostgresConnectionInfo,
  type PostgresDatabases,
  postgresAt,
  type TestDatabase,
} from './postgres-databases.ts';
export { findProgram, type ProgramName } from './program.ts';
export { postgresProtocol, redisProtocol, type WireProtocol } from './protocol-messages.ts';
export { openRedis, type Redis, type RedisOptions } from './redis.ts';
export { openRedisCluster, type RedisCluster } from './redis-cluster.ts';
export { openRedisSentinels, type RedisSentinels } from './redis-sentinel.ts';
export {
  expectNoToken,
  patientEnv,
  runServer,
  type Server,
  type ServerOptions,
  type ServerRun,
  startServer,
} from './server-process.ts';
export {
  type Cut,
  cutKinds,
  cutPlaces,
  openTcpProxy,
  type PassingMessage,
  type TcpProxy,
  type TcpProxyOptions,
} from './tcp-proxy.ts';
export {
  type TemporaryDirectory,
  type TemporaryDirectoryOptions,
  temporaryDirectory,
} from './temporary-directory.ts';
export { eventMs, hangMs } from './time-limits.ts';
export { type UntilOptions, until } from './until.ts';
