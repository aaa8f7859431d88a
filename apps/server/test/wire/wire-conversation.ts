import fc from 'fast-check';

/** What one connection sends, and how it ends. Each character is one byte (Latin-1). */
export type WireConversation = {
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

/** One of the first values with a weight, or one of the second with another. */
const often = <Value>(...choices: [weight: number, values: readonly Value[]][]) =>
  fc.oneof(
    ...choices.map(([weight, values]) => ({ weight, arbitrary: fc.constantFrom(...values) })),
  );

const json = '{"name":"Wire","categoryId":1}';
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const coded = 'Transfer-Encoding: chunked';

const method = often<string>(
  [6, ['GET', 'POST', 'HEAD', 'OPTIONS']],
  [2, ['CONNECT', 'PUT', 'PATCH', 'DELETE', 'TRACE']],
  [1, ['PRI', 'QUERY', 'PROPFIND', 'SOURCE', 'get', 'NONE']],
  [1, ['', ' ', '\0', 'G\0T', '\x16\x03\x01', 'GET\t']],
);

const ownTargets = [
  ...['/v1/pets?limit=1', '/v1/pets', '/v1/pets/1', '/v1/store/orders', '/v1/x', '/docs', '/'],
  ...['/openapi.json', '/livez', '/readyz', '/metrics', '/admin/v1/keys', '/admin/v1/x'],
];
const oddTargets = [
  ...['http://localhost/v1/pets', 'http://localhost', 'http://[', 'http://a:99999/', 'a:1'],
  ...['*', '//a@[#', '/v1/pets#x', '/v1/%', '/v1/pets/%ff', '', 'x', '/\xff', '/a b', '/\0'],
  `/v1/${'a'.repeat(20_000)}`,
];
const target = often([6, ownTargets], [2, oddTargets]);

const version = often<string>(
  [12, [' HTTP/1.1']],
  [2, [' HTTP/1.0']],
  [1, ['', ' HTTP/2.0', ' HTTP/0.9', ' HTTP/9.9', ' RTSP/1.0']],
);

const host = often<string[]>(
  [8, [['Host: localhost']]],
  [1, [[], ['Host:'], ['Host: a', 'Host: b'], ['Host: [']]],
);

const connections = [
  ['Connection: close'],
  ['Connection: keep-alive'],
  ['Connection: Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
  ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: eA=='],
  ['Upgrade: websocket'],
  ['Expect: 100-continue'],
  ['Expect: something-else'],
  ['Connection: close, Upgrade', 'Upgrade: x', 'Expect: 100-continue'],
];
const connection = often<string[]>([5, [[]]], [2, connections]);

const oddHeaders = often<string[]>(
  [6, [[]]],
  [
    1,
    [
      ...[['no colon'], [': no name'], ['X: \0'], ['X: a\r b'], ['X: a', ' folded']],
      ...[['X-Request-Id: \x80\xff'], [`X: ${'x'.repeat(17_000)}`]],
      ['Origin: http://a', 'Access-Control-Request-Method: GET'],
      Array.from({ length: 300 }, (_, i) => `X${i}: ${i}`),
    ],
  ],
);

/** Bodies with the headers that announce them, rightly or wrongly. */
const framedBodies: [string[], string][] = [
  [[`Content-Length: ${json.length}`], json],
  ...['5', '99', '-1', '1\r\nContent-Length: 2', '9'.repeat(20)].map(
    (length): [string[], string] => [[`Content-Length: ${length}`], json],
  ),
  [['Content-Length: 40000'], ' '.repeat(40_000)],
  [['Content-Length: 4', coded], `${chunked(json)}0\r\n\r\n`],
  [['Transfer-Encoding: gzip'], json],
  ...[
    `${chunked(json)}0\r\n\r\n`,
    'zz\r\nx\r\n0\r\n\r\n',
    chunked(json),
    `5;${'x'.repeat(17_000)}\r\nabcde\r\n0\r\n\r\n`,
    `${chunked(json)}0\r\nHost: evil\r\nX: y\r\n\r\n`,
    `${chunked(' '.repeat(20_000))}0\r\n\r\n`,
  ].map((body): [string[], string] => [[coded], body]),
];
const framedBody = often([5, [[[], ''] as [string[], string]]], [4, framedBodies]);

function request(token: string): fc.Arbitrary<string> {
  const authorization = often<string[]>(
    [3, [[`Authorization: Bearer ${token}`]]],
    [2, [[]]],
    [1, [['Authorization: Bearer x'], ['Authorization: \xff']]],
  );
  return fc
    .tuple(method, target, version, host, authorization, connection, oddHeaders, framedBody)
    .map(([m, t, v, ...[h, a, c, odd, [framing, body]]]) => {
      const headers = [...h, ...a, 'Content-Type: application/json', ...c, ...odd, ...framing];
      return `${m} ${t}${v}\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
    });
}

/** Everything that a client may do to a listener, as far as we could think of it. */
export function wireConversations(token: string): fc.Arbitrary<WireConversation> {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  return fc
    .record({
      listener: fc.constantFrom('public' as const, 'ops' as const),
      requests: fc.array(request(token), { minLength: 1, maxLength: 4 }),
      // Pipelining from shallow to deep.
      times: often([8, [1]], [3, [2, 5, 10]], [1, [50, 500]]),
      truncateAt: fc.option(place, { freq: 2 }),
      cuts: fc.array(place, { maxLength: 4 }),
      reads: often([9, [true]], [1, [false]]),
      ending: often<WireConversation['ending']>([50, ['reset', 'half-close']], [1, ['wait']]),
    })
    .map(({ requests, times, truncateAt, cuts, ...rest }) => {
      const whole = requests.join('').repeat(times);
      const bytes = truncateAt === null ? whole : whole.slice(0, whole.length * truncateAt);
      const ends = [...cuts.map((cut) => Math.floor(bytes.length * cut)), bytes.length];
      const pieces = ends.sort((a, b) => a - b).map((end, i) => bytes.slice(ends[i - 1] ?? 0, end));
      return { ...rest, pieces };
    });
}
