import { readUntilClosed } from '@animal-store/testkit';
import { expect, test, vi } from 'vitest';
import { beginRequest } from './begin-request.ts';
import { createExpress } from './create-express.ts';
import { errorMapper } from './error-mapper.ts';
import { jsonBody } from './json-body.ts';
import { openListener } from './listener.ts';

/** Opens a listener whose app reads a JSON body. */
async function listen(stallTimeoutMs: number) {
  const report = vi.fn();
  const app = createExpress();
  app.use((req, res, next) => {
    beginRequest(req, res);
    next();
  });
  app.use(jsonBody);
  app.use((req, res) => res.json(req.body ?? null));
  app.use(errorMapper(report));
  const address = { host: '127.0.0.1', port: 0, stallTimeoutMs, report };
  const listener = await openListener(address, () => app);
  return { ...listener, report, [Symbol.asyncDispose]: () => listener.close(0) };
}

const request = (headers: string, body: string) =>
  `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;

// Regression: the connection was closed without a response. A proxy turned this into a 502.
test.each([
  ['has not arrived at all', request('Content-Length: 9', '')],
  ['has arrived in part', request('Content-Length: 9', '{"a":')],
  ['has arrived in part, in chunks', request('Transfer-Encoding: chunked', '3\r\n{"a\r\n')],
  [
    'follows a complete request',
    request('Content-Length: 2', '{}') + request('Content-Length: 9', ''),
  ],
])(
  'a request whose body %s gets 408 with an Error body when no more data arrives, and its connection is closed',
  async (_, bytes) => {
    await using listener = await listen(50);
    const received = await readUntilClosed(listener.origin, bytes);
    const [status, ...headers] = received.slice(received.lastIndexOf('HTTP/1.1')).split('\r\n');
    expect(status).toBe('HTTP/1.1 408 Request Timeout');
    expect(headers).toContain('Connection: close');
    expect(headers).toContainEqual(expect.stringMatching(/^X-Request-Id: ./));
    expect(JSON.parse(headers.at(-1) ?? '')).toEqual({
      code: 'request_timeout',
      message:
        'The body did not arrive in time, so the request was not executed. Send the request again.',
      status: 408,
    });
    expect(listener.report).not.toHaveBeenCalled();
  },
);

test('a silent connection is closed without a response when no request is open', async () => {
  await using listener = await listen(50);
  const received = await readUntilClosed(listener.origin, 'POST / HTTP/1.1\r\n');
  expect(received).toBe('');
});
