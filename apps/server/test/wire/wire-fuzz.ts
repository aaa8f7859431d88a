import { closeOf, openConnection } from '@animal-store/testkit';
import fc from 'fast-check';
import type { AnyServer } from '../support/local-server.ts';
import { type Framed, framings, requestHeads, type Table, targets } from './hostile-inputs.ts';

/** Generates a usual value most of the time, and an odd value sometimes. */
const mostly = <Value>(usual: readonly Value[], odd: readonly Value[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );

const all = <Input>(table: Table<Input>) => Object.values(table).flat();

const line = mostly(
  ['/v1/pets', '/v1/store/orders', '/docs', '/livez', '/metrics', '/admin/v1/keys'].flatMap(
    (path) => ['GET', 'POST', 'HEAD', 'OPTIONS'].map((method) => `${method} ${path} HTTP/1.1`),
  ),
  [
    ...all(requestHeads).map(([first = '']) => first),
    ...all(targets).map((target) => `GET ${target} HTTP/1.1`),
    ...['CONNECT a:1 HTTP/1.1', 'GET /docs HTTP/0.9', ' '],
  ],
);

const fields = mostly<readonly string[]>(
  [['Host: a']],
  [
    ...all(requestHeads).map(([, ...rest]) => rest),
    ['Host: a', 'Connection: Upgrade', 'Upgrade: h2c'],
    ['Host: a', 'Connection: close, Upgrade', 'Upgrade: x', 'Expect: 100-continue'],
  ],
);

/** Generates a request whose headers describe the length of the body correctly or wrongly. */
const request = (token: string) =>
  fc
    .tuple(
      line,
      fields,
      fc.constantFrom(token, 'none'),
      mostly<Framed>([['X: a', '']], all(framings)),
    )
    .map(([first, rest, key, [framing, body]]) => {
      const own = [`Authorization: Bearer ${key}`, 'Content-Type: application/json'];
      return [first, ...rest, ...own, framing, '', body].join('\r\n');
    });

/**
 * Generates sequences of actions. Together, the sequences contain everything that a client may do
 * on a connection.
 */
function wireConversations(token: string) {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  return fc
    .record({
      listener: fc.constantFrom('origin' as const, 'opsUrl' as const),
      requests: fc.array(request(token), { minLength: 1, maxLength: 4 }),
      // The number of pipelined requests.
      times: mostly([1], [2, 5, 50, 500]),
      truncateAt: fc.option(place, { freq: 2 }),
      cuts: fc.array(place, { maxLength: 4 }),
      /** Whether the client reads the responses. */
      reads: mostly([true], [false]),
      /**
       * How the connection ends: with a TCP reset after the last byte, with a half-close, or,
       * rarely, when the server closes it.
       */
      ending: fc.oneof(
        { weight: 50, arbitrary: fc.constantFrom('reset', 'half-close') },
        fc.constant('wait'),
      ),
    })
    .map(({ requests, times, truncateAt, cuts, ...rest }) => {
      const whole = requests.join('').repeat(times);
      const bytes = whole.slice(0, whole.length * (truncateAt ?? 1));
      const ends = [...cuts.map((cut) => Math.floor(bytes.length * cut)), bytes.length];
      const pieces = ends.sort((a, b) => a - b).map((end, i) => bytes.slice(ends[i - 1] ?? 0, end));
      return { ...rest, pieces };
    });
}

/** The number of connections that are open at the same time. */
const concurrent = 50;

/**
 * Opens connections to both listeners of a server, and sends random sequences on them. The seed
 * determines the sequences.
 */
export async function holdConversations(options: {
  readonly server: AnyServer;
  readonly token: string;
  readonly seed: number;
  readonly connections: number;
}): Promise<void> {
  const { server, token, seed, connections } = options;
  const queue = fc.sample(wireConversations(token), { seed, numRuns: connections }).values();
  async function holdAll() {
    for (const { listener, pieces, reads, ending } of queue) {
      const socket = await openConnection(server[listener]);
      const closed = closeOf(socket);
      if (reads) socket.resume();
      else socket.pause();
      for (const piece of pieces) {
        await new Promise<void>((resolve) => {
          socket.write(piece, 'latin1', () => resolve());
          closed.then(resolve);
        });
      }
      if (ending === 'reset') socket.resetAndDestroy();
      else if (ending === 'half-close') socket.end();
      // The socket must be resumed, because a paused socket does not notice that its connection has
      // ended.
      socket.resume();
      await closed;
    }
  }
  await Promise.all(Array.from({ length: concurrent }, holdAll));
}
