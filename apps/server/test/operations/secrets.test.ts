import { openOtlpCollector, openRedis, readUntilClosed, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { logOf, scrape } from '../support/observed.ts';
import { type CallOptions, call, startService } from '../support/test-service.ts';

/** A text that a caller may consider private. The service must not repeat it to anyone else. */
const secret = 'cAnArY0123456789';

test('the errors, log lines, metrics and traces of the service contain no API key, wherever a caller puts one', async () => {
  await using collector = await openOtlpCollector();
  await using redis = await openRedis();
  const stores = { REDIS_URL: redis.url, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
  const env = { ...stores, ADDRESS_PER_MINUTE: '100000', LOG_LEVEL: 'trace' };
  await using service = await startService('postgres', { env });
  const { origin } = service.server;
  const valid = service.tokens.business;
  /** The error messages that the service has returned. */
  const errors: string[] = [];
  let sent = 0;
  const send = async (path: string, options: CallOptions) => {
    sent += 1;
    const { status, text, headers } = await call(origin + path, options);
    if (status >= 400) errors.push(text + JSON.stringify([...headers]));
  };

  for (const token of [valid, `${valid}x`, secret]) {
    const names = [
      ...['Idempotency-Key', 'X-API-Key', 'Cookie', 'Origin', 'User-Agent', 'X-Forwarded-For'],
      ...['traceparent', 'baggage', 'Content-Type', 'Content-Encoding'],
      // The service may log a request id if its format is valid. The secret has this format, so the
      // test does not send the secret as the request id.
      ...(token === secret ? [] : ['X-Request-Id']),
    ];
    const bodies = [
      token,
      `{"name":"${token}","categoryId":1}`,
      `{"name":"\\u0000${token}","categoryId":"${token}","status":"${token}","${token}":1}`,
    ];
    const queries = ['api_key', 'limit', 'status', 'cursor', token].map((it) => `${it}=${token}`);
    for (const scheme of ['Bearer', 'Basic', 'Bearer Bearer', '']) {
      await send('/v1/pets', { headers: { Authorization: `${scheme} ${token}` } });
    }
    for (const caller of [valid, null]) {
      const options = { token: caller };
      for (const query of queries) await send(`/v1/pets?${query}`, options);
      for (const path of ['v1/pets/', 'v1/pets/%', 'v1/', '']) {
        await send(`/${path}${token}`, options);
      }
      for (const json of bodies) await send('/v1/pets', { ...options, json });
      for (const name of names) {
        const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`;
        const headers = { traceparent, tracestate: `vendor=${token}`, [name]: token };
        await send('/v1/pets', { ...options, json: '{"name":"Rex"}', headers });
      }
    }
    // Only the last one of the following requests is logged, because Node refuses the other
    // requests before they reach the app.
    sent += 1;
    for (const head of [
      `${token} / HTTP/1.1`,
      `GET /v1/pets HTTP/1.1\r\nHost: ${token}\r\nHost: ${token}`,
      `GET http://${token}/${token}?${token} HTTP/1.1\r\nHost: ${token}\r\nConnection: close`,
    ])
      errors.push(await readUntilClosed(origin, `${head}\r\n\r\n`));
  }

  await until(() => logOf(service.server).filter(({ msg }) => msg === 'request').length >= sent);
  const metrics = await scrape(service.server);
  await service.server.stop();
  expect(errors.length).toBeGreaterThan(100);
  expect(collector.spans().length).toBeGreaterThan(sent);
  const outputs = { log: service.server.output(), metrics, traces: collector.received() };
  for (const [where, text] of Object.entries({ errors: errors.join('\n'), ...outputs })) {
    // The prefix of an API key may be shown, so that people recognize the key. The rest must not be
    // shown.
    expect(text.includes(valid.slice(8, -1)), `the token in ${where}`).toBe(false);
    // Error messages may repeat the secret, because only the caller who sent it receives them.
    if (where !== 'errors') expect(text.includes(secret), `the secret in ${where}`).toBe(false);
  }
});
