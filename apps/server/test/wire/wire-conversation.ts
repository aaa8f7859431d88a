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

const json = '{"name":"Wire","categoryId":1}';
const chunked = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

const method = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS') },
  { weight: 2, arbitrary: fc.constantFrom('CONNECT', 'PUT', 'PATCH', 'DELETE', 'TRACE') },
  { weight: 1, arbitrary: fc.constantFrom('PRI', 'QUERY', 'PROPFIND', 'SOURCE', 'get', 'NONE') },
  { weight: 1, arbitrary: fc.constantFrom('', ' ', '\0', 'G\0T', '\x16\x03\x01', 'GET\t') },
);

const target = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      ...['/v1/pets?limit=1', '/v1/pets', '/v1/pets/1', '/v1/store/orders', '/v1/x', '/docs', '/'],
      ...['/openapi.json', '/livez', '/readyz', '/metrics', '/admin/v1/keys', '/admin/v1/x'],
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...['http://localhost/v1/pets', 'http://localhost', 'http://[', 'http://a:99999/', 'a:1'],
      ...['*', '//a@[#', '/v1/pets#x', '/v1/%', '/v1/pets/%ff', '', 'x', '/\xff', '/a b', '/\0'],
      `/v1/${'a'.repeat(20_000)}`,
    ),
  },
);

const version = fc.oneof(
  { weight: 12, arbitrary: fc.constant(' HTTP/1.1') },
  { weight: 2, arbitrary: fc.constant(' HTTP/1.0') },
  { weight: 1, arbitrary: fc.constantFrom('', ' HTTP/2.0', ' HTTP/0.9', ' HTTP/9.9', ' RTSP/1.0') },
);

const host = fc.oneof(
  { weight: 8, arbitrary: fc.constant(['Host: localhost']) },
  { weight: 1, arbitrary: fc.constantFrom([], ['Host:'], ['Host: a', 'Host: b'], ['Host: [']) },
);

const connection = fc.oneof(
  { weight: 5, arbitrary: fc.constant<string[]>([]) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ['Connection: close'],
      ['Connection: keep-alive'],
      ['Connection: Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
      ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: eA=='],
      ['Upgrade: websocket'],
      ['Expect: 100-continue'],
      ['Expect: something-else'],
      ['Connection: close, Upgrade', 'Upgrade: x', 'Expect: 100-continue'],
    ),
  },
);

const oddHeaders = fc.oneof(
  { weight: 6, arbitrary: fc.constant<string[]>([]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ['no colon'],
      [': no name'],
      ['X: \0'],
      ['X: a\r b'],
      ['X: a', ' folded'],
      ['X-Request-Id: \x80\xff'],
      ['Origin: http://a', 'Access-Control-Request-Method: GET'],
      [`X: ${'x'.repeat(17_000)}`],
      Array.from({ length: 300 }, (_, i) => `X${i}: ${i}`),
    ),
  },
);

/** A body with the headers that announce it, rightly or wrongly. */
const framedBody = fc.oneof(
  { weight: 5, arbitrary: fc.constant<[string[], string]>([[], '']) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<[string[], string]>(
      [[`Content-Length: ${json.length}`], json],
      [['Transfer-Encoding: chunked'], `${chunked(json)}0\r\n\r\n`],
      [['Content-Length: 5'], json],
      [['Content-Length: 99'], json],
      [['Content-Length: -1'], json],
      [['Content-Length: 1', 'Content-Length: 2'], json],
      [['Content-Length: 99999999999999999999'], json],
      [['Content-Length: 40000'], ' '.repeat(40_000)],
      [['Content-Length: 4', 'Transfer-Encoding: chunked'], `${chunked(json)}0\r\n\r\n`],
      [['Transfer-Encoding: gzip'], json],
      [['Transfer-Encoding: chunked'], 'zz\r\nx\r\n0\r\n\r\n'],
      [['Transfer-Encoding: chunked'], chunked(json)],
      [['Transfer-Encoding: chunked'], `5;${'x'.repeat(17_000)}\r\nabcde\r\n0\r\n\r\n`],
      [['Transfer-Encoding: chunked'], `${chunked(json)}0\r\nHost: evil\r\nX: y\r\n\r\n`],
      [['Transfer-Encoding: chunked'], `${chunked(' '.repeat(20_000))}0\r\n\r\n`],
    ),
  },
);

function request(token: string): fc.Arbitrary<string> {
  const authorization = fc.oneof(
    { weight: 3, arbitrary: fc.constant([`Authorization: Bearer ${token}`]) },
    { weight: 2, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.constantFrom(['Authorization: Bearer x'], ['Authorization: \xff']) },
  );
  return fc
    .tuple(method, target, version, host, authorization, connection, oddHeaders, framedBody)
    .map(([m, t, v, ...[h, a, c, odd, [framing, body]]]) => {
      const headers = [...h, ...a, 'Content-Type: application/json', ...c, ...odd, ...framing];
      return `${m} ${t}${v}\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
    });
}

/** How many times the requests are repeated: pipelining from shallow to deep. */
const depth = fc.oneof(
  { weight: 8, arbitrary: fc.constant(1) },
  { weight: 3, arbitrary: fc.integer({ min: 2, max: 10 }) },
  { weight: 1, arbitrary: fc.constantFrom(50, 500) },
);

/** Everything that a client may do to a listener, as far as we could think of it. */
export function wireConversations(token: string): fc.Arbitrary<WireConversation> {
  return fc
    .record({
      listener: fc.constantFrom('public' as const, 'ops' as const),
      requests: fc.array(request(token), { minLength: 1, maxLength: 4 }),
      times: depth,
      truncateAt: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 2 }),
      cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 4 }),
      reads: fc.oneof(
        { weight: 9, arbitrary: fc.constant(true) },
        { weight: 1, arbitrary: fc.constant(false) },
      ),
      ending: fc.oneof(
        { weight: 50, arbitrary: fc.constantFrom('reset' as const, 'half-close' as const) },
        { weight: 1, arbitrary: fc.constant('wait' as const) },
      ),
    })
    .map(({ requests, times, truncateAt, cuts, ...rest }) => {
      const whole = requests.join('').repeat(times);
      const bytes = truncateAt === null ? whole : whole.slice(0, whole.length * truncateAt);
      const ends = [...cuts.map((cut) => Math.floor(bytes.length * cut)), bytes.length];
      const pieces = ends.sort((a, b) => a - b).map((end, i) => bytes.slice(ends[i - 1] ?? 0, end));
      return { ...rest, pieces };
    });
}
