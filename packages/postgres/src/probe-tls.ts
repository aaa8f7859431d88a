import { once } from 'node:events';
import { type Address, openSocket } from './postgres-socket.ts';

/** Postgres manual, "SSLRequest". */
const sslRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/**
 * Asks a Postgres whether it has TLS. The driver does not look at a no, and what it gets then is an error that a
 * lost connection gives as well.
 *
 * @returns `false` also if it does not answer.
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
