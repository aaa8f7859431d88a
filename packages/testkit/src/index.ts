export { freePort } from './free-port.ts';
export type { ProcessExit } from './guarded-process.ts';
export { openPostgres, type Postgres, type PostgresOptions } from './postgres.ts';
export {
  type PostgresConnectionInfo,
  type PostgresDatabases,
  postgresAt,
  type TestDatabase,
} from './postgres-databases.ts';
export { findProgram, type ProgramName } from './program.ts';
export { openRedis, type Redis, type RedisOptions } from './redis.ts';
export {
  openRedisCluster,
  type RedisCluster,
  type RedisClusterOptions,
} from './redis-cluster.ts';
export {
  nodeFlags,
  runServer,
  type Server,
  type ServerOptions,
  type ServerRun,
  startServer,
} from './server-process.ts';
export { openTcpProxy, type TcpProxy, type TcpProxyOptions } from './tcp-proxy.ts';
export {
  type TemporaryDirectory,
  type TemporaryDirectoryOptions,
  temporaryDirectory,
} from './temporary-directory.ts';
export { hangMs } from './time-limits.ts';
export { type UntilOptions, until } from './until.ts';
