import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { tools } from '@animal-store/heavy-tools';
import { freePort, temporaryDirectory } from '@animal-store/testkit';
import { beforeAll, expect, test } from 'vitest';
import { publicDocument } from '../conformance/open-api-documents.ts';

interface Example {
  readonly value: object;
}

interface Response {
  readonly content: Readonly<
    Record<'application/json', { example?: object; examples?: Readonly<Record<string, Example>> }>
  >;
}

type Operation = { readonly responses: Readonly<Record<string, Response>> };

/** Every response that the document describes, with each of its examples. */
const answers = Object.entries<Record<string, Operation>>(
  JSON.parse(publicDocument.text).paths,
).flatMap(([path, operations]) =>
  ['get', 'post'].flatMap((method) =>
    Object.entries(operations[method]?.responses ?? {}).flatMap(([status, { content }]) => {
      const { example, examples = {} } = content['application/json'];
      const named = Object.entries(examples).map(([name, { value }]) => ({ name, value }));
      const all = example === undefined ? named : [{ name: '', value: example }, ...named];
      return all.map(({ name, value }) => ({
        ...{ method: method.toUpperCase(), path: path.replace('{petId}', '7') },
        ...{ status: Number(status), name, value },
      }));
    }),
  ),
);

let origin: string;
beforeAll(async () => {
  const directory = await temporaryDirectory();
  const file = join(directory.path, 'openapi.json');
  await writeFile(file, publicDocument.text);
  const port = await freePort();
  const prism = spawn(process.execPath, [tools.prism, 'mock', '--port', String(port), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  origin = `http://127.0.0.1:${port}`;
  for await (const line of createInterface(prism.stdout)) {
    if (line.includes(`listening on ${origin}`)) break;
  }
  prism.stdout.resume();
  return async () => {
    prism.kill('SIGKILL');
    await once(prism, 'exit');
    await directory[Symbol.asyncDispose]();
  };
});

test('the OpenAPI document has an example for every response', () => {
  expect(answers.map(({ status }) => status)).toEqual(
    expect.arrayContaining([200, 201, 400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 500, 501]),
  );
});

test.each(answers)(
  'a mock server made from the OpenAPI document responds to $method $path with $status and the example $name',
  async ({ method, path, status, name, value }) => {
    const prefer = [`code=${status}`, ...(name === '' ? [] : [`example=${name}`])];
    const response = await fetch(origin + path, {
      method,
      headers: {
        Authorization: 'Bearer ast_mock',
        Prefer: prefer.join(', '),
        ...(method === 'POST' && { 'Content-Type': 'application/json' }),
      },
      ...(method === 'POST' && { body: '{"name":"Mia","categoryId":3}' }),
    });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status,
      body: value,
    });
  },
);
