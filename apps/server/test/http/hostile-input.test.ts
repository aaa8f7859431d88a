import { beforeAll, describe, expect, test } from 'vitest';
import { kindsOfThisRun } from '../support/databases.ts';
import { expectErrorBody, expectResponseHeaders } from '../support/expectations.ts';
import { listAll } from '../support/list-all-pets.ts';
import { rawRequest, sendRaw } from '../support/raw-http.ts';
import type { Answer } from '../support/send.ts';
import { useService } from '../support/test-service.ts';
import { hostileInputs } from './hostile-inputs.ts';
import type { HostileInput } from './hostile-request.ts';

const routes = [
  ['GET', '/v1/pets', 200],
  ['POST', '/v1/pets', 400],
  ['GET', '/v1/pets/1', 200],
  ['GET', '/v1/store/orders', 501],
] as const;

/** Whether Node has rejected the input, before it became a request of ours. */
const isMinimal = ({ status, headers, text }: Answer) =>
  [400, 413, 417, 431].includes(status) && text === '' && !headers.has('X-Request-Id');

/** The same inputs, with a token that is there only once the service is. */
const titlesOf = (method: string, path: string) =>
  hostileInputs({ method, path, token: '' }).map(({ title }, index) => [title, index] as const);

describe.each(kindsOfThisRun)('on %s', (kind) => {
  /** Every animal that a 201 told of, in order of their ids. */
  const created: { id: number }[] = [];

  const service = useService(kind, { env: { ADDRESS_PER_MINUTE: '1000000' } });
  beforeAll(async () => {
    for (const name of ['Rex', 'Bella', 'Milo']) {
      const { body } = await service.call('/pets', { json: `{"name":"${name}","categoryId":1}` });
      created.push(body as { id: number });
    }
  });

  const send = (input: HostileInput) => sendRaw(service.server.origin, input.bytes, input);

  function judge(answer: Answer, { outside = false }: HostileInput) {
    const { status, headers, body } = answer;
    if (isMinimal(answer)) return;
    // The order listing is known to be missing; an answer to HEAD cannot say so.
    if (status === 501) expect(answer.text || '"not_implemented"').toContain('"not_implemented"');
    else expect(status).toBeLessThan(500);
    expect(headers.get('Content-Type') ?? 'none').toMatch(
      /^(?:application\/json; charset=utf-8|none)$/,
    );
    if (answer.text !== '' && status >= 400) expectErrorBody(answer);
    if (!outside) expectResponseHeaders(answer);
    for (const name of ['X-Injected', 'Set-Cookie']) expect(headers.has(name)).toBe(false);
    if (status === 201) created.push(body as { id: number });
  }

  describe.each(routes)('%s %s', (method, path, ordinary) => {
    let inputs: HostileInput[];
    beforeAll(() => {
      inputs = hostileInputs({ method, path, token: service.tokens.enterprise });
    });

    test('meets at least a hundred hostile inputs', () => {
      expect(new Set(titlesOf(method, path).map(([title]) => title)).size).toBeGreaterThan(100);
    });

    test.each(titlesOf(method, path))('withstands %s', async (_title, index) => {
      const input = inputs[index];
      if (input === undefined) throw new Error('The table has changed.');
      const answers = await send(input);
      if (!input.mayHangUp) expect(answers.length).toBeGreaterThanOrEqual(1);
      for (const answer of answers) judge(answer, input);
    });

    test('goes on as before', async () => {
      const headers = ['Host: a', `Authorization: Bearer ${service.tokens.enterprise}`];
      const [answer] = await sendRaw(
        service.server.origin,
        rawRequest({ line: `${method} ${path} HTTP/1.1`, headers }),
      );
      expect(answer?.status).toBe(ordinary);
      const pets = await listAll(service.server, service.tokens.enterprise);
      expect([...pets.values()]).toEqual([...created].sort((a, b) => a.id - b.id));
      expect(service.server.output()).not.toMatch(/request [\w-]+: /);
    });
  });
});
