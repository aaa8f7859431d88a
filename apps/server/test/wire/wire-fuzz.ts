import fc from 'fast-check';
import type { AnyServer } from '../support/local-server.ts';
import { closeOf, openConnection } from './connection.ts';

/** What one connection sends, and how it ends. Each character is one byte (Latin-1). */
type WireConversation = {
  readonly listener: 'public' | 'ops';
  /** The bytes, cut into pieces that are written one after another. */
  readonly pieces: readonly string[];
  /** Whether the responses are read. */
  readonly reads: boolean;
  /**
   * `reset`: a TCP reset right after the last byte. `half-close`: no more bytes will come.
   * `wait`: the client waits until the server ends the connection.
   */
  readonly ending: 'reset' | 'half-close' | 'wait';
};

/** Most often one of the usual values. */
const mostly = <Value>(usual: readonly Value[], odd: readonly Value[]) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...usual) },
    { weight: 1, arbitrary: fc.constantFrom(...odd) },
  );

const method = mostly(
  ['GET', 'POST', 'HEAD', 'OPTIONS'],
  ['CONNECT', 'PUT', 'DELETE', 'TRACE', 'PRI', 'QUERY', 'get', '', ' ', '\0', '\x16\x03\x01'],
);

const target = mostly(
  ['/v1/pets', '/v1/pets/1', '/v1/store/orders', '/docs', '/livez', '/metrics', '/admin/v1/keys'],
  [
    'http://localhost',
    'http://[',
    '*',
    '//a@[#',
    '/v1/pets/%ff',
    '',
    '/\xff',
    '/a b',
    '/\0',
  ].concat(`/v1/${'a'.repeat(20_000)}`),
);

const version = mostly([' HTTP/1.1'], ['', ' HTTP/1.0', ' HTTP/2.0', ' HTTP/0.9', ' RTSP/1.0']);

const oddFields = [
  ...['Host: b', 'Host: [', 'Authorization: \xff', 'Connection: close', 'no colon', ': no name'],
  ...['X: \0', 'X: a\r b', 'X: a\r\n folded', 'X-Request-Id: \x80\xff', `X: ${'x'.repeat(17_000)}`],
  ...[
    'Upgrade: websocket',
    'Connection: Upgrade\r\nUpgrade: h2c',
    'Expect: 100-continue',
    'Expect: x',
  ],
  ...['Connection: close, Upgrade\r\nUpgrade: x\r\nExpect: 100-continue', 'X: x\r\n'.repeat(300)],
];

const json = '{"name":"Wire","categoryId":1}';
const chunked = `${json.length.toString(16)}\r\n${json}\r\n`;
const coded = 'Transfer-Encoding: chunked';

/** Bodies with the header that announces them, rightly or wrongly. */
const framedBody = mostly<readonly [framing: string, body: string]>(
  [
    ['X: none', ''],
    [`Content-Length: ${json.length}`, json],
    [coded, `${chunked}0\r\n\r\n`],
  ],
  [
    ...['5', '99', '-1', '1\r\nContent-Length: 2', '9'.repeat(20)].map(
      (length) => [`Content-Length: ${length}`, json] as const,
    ),
    ['Content-Length: 40000', ' '.repeat(40_000)],
    [`Content-Length: 4\r\n${coded}`, `${chunked}0\r\n\r\n`],
    ['Transfer-Encoding: gzip', json],
    ...['zz\r\nx\r\n', '', `5;${'x'.repeat(17_000)}\r\nabcde\r\n`, `0\r\nHost: evil\r\n\r\n`].map(
      (rest) => [coded, `${chunked}${rest}`] as const,
    ),
  ],
);

const request = (token: string) =>
  fc
    .record({
      line: fc.tuple(method, target, version).map(([m, t, v]) => `${m} ${t}${v}`),
      usual: fc.subarray(['Host: a', `Authorization: Bearer ${token}`]),
      odd: fc.option(fc.constantFrom(...oddFields), { freq: 2, nil: 'Accept: */*' }),
      framed: framedBody,
    })
    .map(({ line, usual, odd, framed: [framing, body] }) =>
      [line, ...usual, 'Content-Type: application/json', odd, framing, '', body].join('\r\n'),
    );

/** Everything that a client may do to a listener, as far as we could think of it. */
function wireConversations(token: string): fc.Arbitrary<WireConversation> {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  return fc
    .record({
      listener: fc.constantFrom('public' as const, 'ops' as const),
      requests: fc.array(request(token), { minLength: 1, maxLength: 4 }),
      // Pipelining from shallow to deep.
      times: mostly([1], [2, 5, 50, 500]),
      truncateAt: fc.option(place, { freq: 2 }),
      cuts: fc.array(place, { maxLength: 4 }),
      reads: mostly([true], [true, false]),
      // Few wait: that takes as long as the server waits.
      ending: fc.oneof(
        { weight: 50, arbitrary: fc.constantFrom('reset' as const, 'half-close' as const) },
        { weight: 1, arbitrary: fc.constant('wait' as const) },
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

/** How many conversations go on at the same time. */
const concurrent = 50;

/** Holds conversations made from a seed with both listeners of a server. */
export async function holdConversations(options: {
  readonly server: AnyServer;
  readonly token: string;
  readonly seed: number;
  readonly connections: number;
}): Promise<void> {
  const { server, token, seed, connections } = options;
  const conversations = fc.sample(wireConversations(token), { seed, numRuns: connections });
  const queue = conversations.values();
  await Promise.all(
    Array.from({ length: concurrent }, async () => {
      for (const conversation of queue) await hold(server, conversation);
    }),
  );
}

async function hold(server: AnyServer, conversation: WireConversation): Promise<void> {
  const { listener, pieces, reads, ending } = conversation;
  const socket = await openConnection(listener === 'public' ? server.origin : server.opsUrl);
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
  // A paused socket does not notice the end of its connection.
  socket.resume();
  await closed;
}
