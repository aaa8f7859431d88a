import { once } from 'node:events';
import { type Address, openSocket } from './postgres-socket.ts';

/** The bytes of the message "SSLRequest" (Postgres manual). */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/**
 * Returns whether a Postgres refuses TLS. The driver does not report such a refusal, and its error
 * looks like a lost connection.
 *
 * @returns `false` if Postgres supports TLS, or does not respond.
 */
export async function refusesTls(address: Address, answerSeconds: number): Promise<boolean> {
  const socket = openSocket(address);
  try {
    socket.write(sslRequest);
    const signal = AbortSignal.timeout(answerSeconds * 1_000);
    const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
    return answer.toString('latin1') === 'N';
  } catch {
    return false;
  } finally {
    socket.on('error', () => {}).destroy();
  }
}
