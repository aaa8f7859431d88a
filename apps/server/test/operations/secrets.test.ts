import { connect } from 'node:net';
import { openRedis, until } from '@animal-store/testkit';
import { expect, test } from 'vitest';
import { logOf, scrape } from '../support/observed.ts';
import { openOtlpCollector } from '../support/otlp-collector.ts';
import type { Answer } from '../support/send.ts';
import { call, startService } from '../support/test-service.ts';

/** What a caller may take for private: none of it may be repeated to anybody else. */
const secret = 'cAnArY0123456789';

test('no error, log line, metric or trace contains a token, wherever it was sent', async () => {
  await using collector = await openOtlpCollector();
  await using redis = await openRedis();
  await using service = await startService('postgres', {
    env: {
      REDIS_URL: redis.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ADDRESS_PER_MINUTE: '100000',
      LOG_LEVEL: 'trace',
    },
  });
  const { baseUrl, origin } = service.server;
  const valid = service.tokens.business;
  const answers: Answer[] = [];
  let sent = 0;
  const send = async (url: string, options: Parameters<typeof call>[1] = {}) => {
    sent += 1;
    answers.push(await call(url, options));
  };

  for (const token of [valid, `${valid}x`, secret]) {
    for (const scheme of ['Bearer', 'bearer', 'Basic', 'Token', 'Bearer Bearer', '']) {
      await send(`${baseUrl}/pets`, { headers: { Authorization: `${scheme} ${token}` } });
    }
    for (const caller of [valid, null]) {
      const options = { token: caller };
      for (const name of ['api_key', 'access_token', 'limit', 'status', 'cursor', token]) {
        await send(`${baseUrl}/pets?${name}=${token}`, options);
      }
      for (const url of [
        `${baseUrl}/pets/${token}`,
        `${baseUrl}/pets/%${token}`,
        `${baseUrl}/${token}`,
      ]) {
        await send(url, options);
      }
      await send(`${origin}/${token}`, options);
      for (const json of [
        token,
        `{"name":"${token}","categoryId":1}`,
        `{"name":"\\u0000${token}","categoryId":"${token}","status":"${token}","${token}":1}`,
      ]) {
        await send(`${baseUrl}/pets`, { ...options, json });
      }
      for (const name of [
        ...['Idempotency-Key', 'X-Request-Id', 'X-API-Key', 'Cookie', 'Origin', 'User-Agent'],
        ...['Referer', 'X-Forwarded-For', 'traceparent', 'tracestate', 'baggage', 'Content-Type'],
        'Content-Encoding',
      ]) {
        // A request id is for the log, if it can be one.
        if (name === 'X-Request-Id' && token === secret) continue;
        await send(`${baseUrl}/pets`, {
          ...options,
          json: '{"name":"Rex"}',
          headers: { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`, [name]: token },
        });
      }
    }
    for (const head of [
      `GET /${token} nonsense`,
      `${token} / HTTP/1.1`,
      `GET /v1/pets HTTP/1.1\r\nHost: ${token}\r\nConnection: close`,
      `GET /v1/pets HTTP/1.1\r\nHost: ${token}\r\nHost: ${token}`,
      `CONNECT ${token}:80 HTTP/1.1\r\nHost: ${token}`,
      `GET http://${token}/${token}?${token} HTTP/1.1\r\nHost: ${token}\r\nConnection: close`,
    ]) {
      const socket = connect(Number(new URL(origin).port), '127.0.0.1');
      socket.write(`${head}\r\n\r\n`);
      const text = await new Response(ReadableStream.from(socket)).text();
      answers.push({ status: 400, headers: new Headers(), text, body: undefined });
      // What ends below the application is not logged, and CONNECT is not answered.
      if (head.endsWith('Connection: close')) sent += 1;
      if (!head.startsWith('CONNECT')) expect(text).toMatch(/^HTTP\/1\.1 4/);
    }
  }

  await until(() => logOf(service.server).filter(({ msg }) => msg === 'request').length >= sent);
  const metrics = await scrape(service.server);
  await service.server.stop();
  const errors = answers.filter(({ status }) => status >= 400);
  expect(errors.length).toBeGreaterThan(100);
  expect(collector.spans().length).toBeGreaterThan(sent);

  const told = {
    // Its beginning may show, so that it can be recognised; what follows may not.
    errors: errors.map(({ text, headers }) => text + JSON.stringify([...headers])).join('\n'),
    log: service.server.output(),
    metrics,
    traces: collector.received(),
  };
  for (const [where, text] of Object.entries(told)) {
    expect(text.includes(valid.slice(8, -1)), `the token in ${where}`).toBe(false);
    // Messages tell a caller what it sent; nobody else is told.
    if (where !== 'errors') expect(text.includes(secret), `the secret in ${where}`).toBe(false);
  }
});
