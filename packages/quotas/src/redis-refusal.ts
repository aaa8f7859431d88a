import { type ConnectionError, onConnectionError } from './connection-error.ts';
import { isCluster, isRefusedDatabase, type RedisConnection } from './open-redis.ts';

/** Matches the errors that Redis and Sentinels return for a wrong user or password. */
const isRefusedLogin = (message: string) => /^(?:WRONGPASS|NOAUTH) /.test(message);

/**
 * Matches the errors that Redis returns for a command that it does not know, or that the user is
 * not allowed to run. In a script, Redis 7.0 returns "can't run this command", and later versions
 * and Valkey return "ACL failure in script".
 */
const isRefusedCommand = (message: string) =>
  /^NOPERM |can't run this command|ACL failure in script|unknown (?:redis )?command/i.test(message);

/** Matches the errors that Redis returns if the user may run a command, but not with its Redis key. */
const isRefusedKey = (message: string) => /^NOPERM .*\bkeys?\b/i.test(message);

/** Matches the error of a node of a Redis Cluster for a Redis key of another node. */
const isOfOtherNode = (message: string) => message.startsWith('MOVED ');

/** Matches the error that a Redis without the Cluster mode returns for a command of a Cluster. */
const isNoCluster = (message: string) => message.includes('cluster support disabled');

/** Matches the codes of the errors of Node for a certificate that this process does not accept. */
const certificateCode = /^(?:ERR_TLS_CERT|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_)/;

/**
 * Matches the code of the error of Node for a server that requires a certificate of the client. Only
 * TLS 1.3 has an alert for this case.
 */
const clientCertificateCode = /^ERR_SSL_.*_CERTIFICATE_REQUIRED$/;

/**
 * Watches a connection for refusals that retries do not fix: Redis refuses the database, the user,
 * the password or a command, the Sentinels refuse their password or a command or do not know the
 * primary, a single URL leads to a Redis Cluster or several URLs lead to a Redis that is not a Cluster,
 * Redis requires a client certificate, or this process does not accept the certificate of Redis or
 * of a Sentinel.
 *
 * @returns four members. `sentence` returns the message for operators, or `undefined` if nothing is
 *   refused now. `startFault` returns the same message, unless the reason is a certificate. With an
 *   expired certificate, a service must still start, like with a Redis that is down. `first`
 *   resolves at the first refusal, so that the start of the service does not wait for a connection
 *   that can never become ready. `watchProbe` runs a probe, which may find that Redis refuses a
 *   command or a Redis key. Its second argument is the pattern of all Redis keys of the quotas.
 */
export function watchForRefusal(redis: RedisConnection) {
  const first = Promise.withResolvers<void>();
  let refusal: string | undefined;
  let certificateFault: string | undefined;
  function readRefusal(error: ConnectionError): void {
    const { message, code = '' } = error;
    // ioredis puts the response of the last Sentinel into the message of its own error.
    const [, fromSentinel] =
      /^All sentinels are unreachable.* Last error: (.*)/.exec(message) ?? [];
    if (isRefusedDatabase(error)) {
      refusal = describeRefusedDatabase(message);
    } else if (clientCertificateCode.test(code)) {
      refusal =
        'Redis requires a client certificate, which is not supported. Set tls-auth-clients to no or optional in Redis and its Sentinels, and use a password';
    } else if (certificateCode.test(code)) {
      const subject = fromSentinel === undefined ? 'Redis' : 'a Sentinel';
      certificateFault = `The certificate of ${subject} is not accepted (${fromSentinel ?? message})`;
    } else if (fromSentinel !== undefined) {
      refusal = describeSentinelRefusal(fromSentinel) ?? refusal;
    } else if (isRefusedLogin(message)) {
      refusal = `Redis refuses the user or the password (${message})`;
    } else if (isRefusedCommand(message)) {
      refusal = describeRefusedCommand(message);
    } else if (isNoCluster(message)) {
      refusal = `The Redis at these URLs is not a Cluster (${message}). Write a single URL, or the URL of its Sentinels`;
    }
    if (refusal !== undefined) first.resolve();
  }
  onConnectionError(redis, readRefusal);
  // Before a Cluster is ready, ioredis sends CLUSTER INFO. If Redis refuses this command, ioredis
  // connects again and again, and reports no error. So the command is sent once more.
  if (isCluster(redis)) redis.on('connect', () => void redis.cluster('INFO').catch(readRefusal));
  redis.on('ready', () => {
    refusal = undefined;
    certificateFault = undefined;
  });
  async function watchProbe(probe: () => Promise<void>, keyPattern: string): Promise<void> {
    try {
      await probe();
      refusal = undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      if (isRefusedKey(message)) refusal = describeRefusedKey(message, keyPattern);
      else if (isRefusedCommand(message)) refusal = describeRefusedCommand(message);
      // The client of a Cluster follows this error itself.
      if (isOfOtherNode(message) && !isCluster(redis)) {
        refusal = `The Redis at this URL is a node of a Cluster (${message}). Write the URLs of some nodes, separated by commas. If the Cluster has only one address, write its URL twice`;
      }
      throw error;
    }
  }
  return {
    sentence: () => refusal ?? certificateFault,
    startFault: () => refusal,
    first: first.promise,
    watchProbe,
  };
}

/**
 * Returns the message for operators about a response of a Sentinel, or `undefined` if the response
 * is not a refusal that retries do not fix.
 */
function describeSentinelRefusal(response: string): string | undefined {
  if (isRefusedLogin(response)) {
    return `The Sentinels refuse the password (${response}). Write it into the URL as ?sentinelPassword=…, and a user other than the default user as sentinelUsername`;
  }
  if (response.includes('No such master')) {
    return `The Sentinels do not know the name of the primary (${response}). Use the name in their configuration as the path of the URL`;
  }
  if (isRefusedCommand(response)) {
    return `The Sentinels refuse a command (${withoutArguments(response)}). Use the port of the Sentinels in the URL, by default 26379, and allow their user the commands sentinel and subscribe`;
  }
  return undefined;
}

function describeRefusedDatabase(message: string): string {
  const advice = message.includes('cluster mode')
    ? 'A Cluster has only database 0. Remove the number, and write the URLs of some nodes, separated by commas'
    : "Use a smaller number as the path of the URL, or increase Redis's setting databases";
  return `Redis refuses the number of the database (${message}). ${advice}`;
}

const describeRefusedCommand = (message: string) =>
  `Redis refuses a command that the limits need (${withoutArguments(message)}). ${
    /unknown/i.test(message)
      ? 'Enable the command in Redis. If the URL leads to a Sentinel, write redis+sentinel:// and the name of the primary'
      : 'Allow the command for the user: see "Least rights" in docs/operating.md'
  }`;

const describeRefusedKey = (message: string, keyPattern: string) =>
  `Redis refuses to let its user read or write the keys ${keyPattern} (${message}). Allow this pattern for the user, for example with ACL SETUSER <user> ~${keyPattern}: see "Least rights" in docs/operating.md`;

/**
 * Cuts an error message off before the arguments of the command, or before the hash of the script.
 * If Redis does not know a command, it repeats the arguments, and they do not belong in a log.
 */
const withoutArguments = (message: string) => message.split(/, with args| script: [0-9a-f]+,/)[0];
