export { chromiumOptions } from './chromium-options.ts';
export { type Consumer, createConsumer, readExamples, runIn } from './consumer.ts';
export { copyEmbeddedSnapshot } from './embedded-snapshot.ts';
export { freePort } from './free-port.ts';
export { memoryDirectory } from './memory-directory.ts';
export { nodeFlags } from './node-flags.ts';
export { openOtlpCollector } from './otlp-collector.ts';
export { openPostgres, type Postgres } from './postgres.ts';
export { postgresAt } from './postgres-databases.ts';
export { findProgram } from './program.ts';
export { postgresProtocol, redisProtocol } from './protocol-messages.ts';
export { closeOf, openConnection, readUntilClosed, statusesIn } from './raw-connection.ts';
export { openRawServer } from './raw-server.ts';
export { openRedis, type Redis } from './redis.ts';
export { openRedisCluster } from './redis-cluster.ts';
export { openRedisSentinels } from './redis-sentinel.ts';
export { repository } from './repository.ts';
export { type Script, startScriptedServer } from './scripted-server.ts';
export {
  expectNoToken,
  patientEnv,
  type Server,
  spawnServer,
  startServer,
} from './server-process.ts';
export {
  type Cut,
  cutKinds,
  cutPlaces,
  openTcpProxy,
  type TcpProxy,
} from './tcp-proxy.ts';
export { temporaryDirectory } from './temporary-directory.ts';
export { eventMs, hangMs, patientQuotas } from './time-limits.ts';
export { until } from './until.ts';
