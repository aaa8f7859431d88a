import { initClient } from '@ts-rest/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { contract, exactBody, exactJsonApi } from '../src/index.ts';

// These tests use the contract with a ts-rest client, as the README shows.

test('a ts-rest client with exactJsonApi sends and reads integers beyond 2^53 exactly, and sends no body for a GET', async () => {
  const pet = '{"id":1,"name":"Mia","categoryId":9007199254740993,"status":"available"}';
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  const fetch = vi.fn(async (_url: string, _init: RequestInit) => {
    return new Response(pet, { status: 201, headers });
  });
  vi.stubGlobal('fetch', fetch);
  onTestFinished(() => void vi.unstubAllGlobals());
  const client = initClient(contract, {
    baseUrl: 'https://store.example/v1',
    baseHeaders: { Authorization: 'Bearer key' },
    api: exactJsonApi,
  });
  const answer = await client.createPet({
    headers: { 'idempotency-key': 'once' },
    body: exactBody({ name: 'Mia', categoryId: 9007199254740993n }),
  });
  const body = { id: 1, name: 'Mia', categoryId: 9007199254740993n, status: 'available' };
  expect(answer).toMatchObject({ status: 201, body });
  await client.createPet({ headers: {}, body: { name: 'Mia', categoryId: 3 } });
  await client.getPet({ params: { petId: 9007199254740993n } });
  expect(fetch.mock.calls[0]?.[1]).toMatchObject({
    method: 'POST',
    headers: {
      authorization: 'Bearer key',
      'content-type': 'application/json',
      'idempotency-key': 'once',
    },
  });
  expect(fetch.mock.calls.map(([url, init]) => [url, init.body])).toEqual([
    ['https://store.example/v1/pets', '{"name":"Mia","categoryId":9007199254740993}'],
    ['https://store.example/v1/pets', '{"name":"Mia","categoryId":3}'],
    ['https://store.example/v1/pets/9007199254740993', undefined],
  ]);
});

test('a ts-rest client sends ids as one string with commas, and the compiler refuses a list of ids', async () => {
  const fetch = vi.fn(async (_url: string) => Response.json([]));
  vi.stubGlobal('fetch', fetch);
  onTestFinished(() => void vi.unstubAllGlobals());
  const baseUrl = 'https://store.example/v1';
  const client = initClient(contract, { baseUrl, api: exactJsonApi });
  expect(await client.listPets({ query: { ids: '5,11' } })).toMatchObject({ status: 200 });
  expect(fetch.mock.calls[0]?.[0]).toBe(`${baseUrl}/pets?ids=5%2C11`);
  // @ts-expect-error ts-rest would write `ids[0]=5&ids[1]=11`, which the service refuses
  await client.listPets({ query: { ids: ['5', '11'] } });
});
