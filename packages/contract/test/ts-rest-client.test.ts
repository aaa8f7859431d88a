import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { initClient } from '@ts-rest/core';
import { expect, onTestFinished, test } from 'vitest';
import { contract, exactBody, exactJsonApi } from '../src/index.ts';

/** A server that answers every request with the same JSON, and keeps what it received. */
async function startServer(status: number, json: string) {
  const received: { method: string; url: string; headers: NodeJS.Dict<unknown>; body: string }[] =
    [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { method = '', url = '', headers } = request;
    received.push({ method, url, headers, body });
    response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(json);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const client = initClient(contract, {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    baseHeaders: { Authorization: 'Bearer key' },
    api: exactJsonApi,
  });
  return { client, received };
}

const pet = '{"id":1,"name":"Mia","categoryId":9007199254740993,"status":"available"}';

test('a ts-rest client sends and reads a category beyond 2^53 exactly', async () => {
  const { client, received } = await startServer(201, pet);
  const answer = await client.createPet({
    headers: { 'idempotency-key': 'once' },
    body: exactBody({ name: 'Mia', categoryId: 9007199254740993n }),
  });
  expect(received).toMatchObject([
    {
      method: 'POST',
      url: '/v1/pets',
      headers: {
        authorization: 'Bearer key',
        'content-type': 'application/json',
        'idempotency-key': 'once',
      },
      body: '{"name":"Mia","categoryId":9007199254740993}',
    },
  ]);
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    id: 1,
    name: 'Mia',
    categoryId: 9007199254740993n,
    status: 'available',
  });
});

test('a request without a body has none', async () => {
  const { client, received } = await startServer(200, `[${pet}]`);
  const answer = await client.listPets({ query: { limit: 5 } });
  expect(received).toMatchObject([{ method: 'GET', url: '/v1/pets?limit=5', body: '' }]);
  expect(answer.body).toEqual([expect.objectContaining({ categoryId: 9007199254740993n })]);
});

test('the id in a path is a number, or a bigint', async () => {
  const { client, received } = await startServer(200, pet);
  await client.getPet({ params: { petId: 7 } });
  await client.getPet({ params: { petId: 9007199254740993n } });
  expect(received.map(({ url }) => url)).toEqual(['/v1/pets/7', '/v1/pets/9007199254740993']);
});

test('a body that needs no exactness needs no exactBody', async () => {
  const { client, received } = await startServer(201, pet);
  await client.createPet({ headers: {}, body: { name: 'Mia', categoryId: 3 } });
  expect(received).toMatchObject([{ body: '{"name":"Mia","categoryId":3}' }]);
});
