import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runtimes } from '@animal-store/heavy-tools';
import {
  type Consumer,
  chromiumOptions,
  createConsumer,
  hangMs,
  type Script,
  startScriptedServer,
  startServer,
} from '@animal-store/testkit';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Addresses, exercise, expected } from '../exercise.ts';
import { packageDirectory } from '../package-directory.ts';

// Each runtime runs the packed client against the real service and a scripted server. A run takes
// four of the demo key's sixty requests a minute, so all runs fit into one minute's quota.

const resources = new AsyncDisposableStack();
let addresses: Addresses;
let consumer: Consumer;

/** The CORS headers for pages of other origins, as the service sends them. */
const cors = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, X-Retry-Count',
  'Access-Control-Expose-Headers': 'Retry-After',
};

/**
 * Creates a script that responds to the first POST with an idempotency key with 503, and to its
 * retry with 201. It never responds to a GET.
 */
function createFlaky(): Script {
  const seen = new Set<unknown>();
  return (response, { method, headers }, body) => {
    const key = headers['idempotency-key'];
    if (method === 'OPTIONS') response.writeHead(204, cors).end();
    else if (method === 'POST' && seen.has(key))
      response.writeHead(201, cors).end(body.replace('{', '{"id":7,'));
    else if (method === 'POST') response.writeHead(503, { 'Retry-After': '0', ...cors }).end('{}');
    seen.add(key);
  };
}

beforeAll(async () => {
  const flaky = resources.use(await startScriptedServer(createFlaky()));
  const service = resources.use(await startServer());
  consumer = resources.use(await createConsumer(packageDirectory));
  addresses = {
    serviceUrl: service.baseUrl,
    apiKey: service.demoKey ?? expect.unreachable('the first start prints a key'),
    scriptedUrl: flaky.baseUrl,
  };
  const run = `console.log(JSON.stringify(await exercise(client, ${JSON.stringify(addresses)})));`;
  const program = `import * as client from '@animal-store/client';\n${exercise}`;
  await consumer.write('run.mjs', `${program}\n${run}`);
  await consumer.write(
    'run.cjs',
    `const client = require('@animal-store/client');\n${exercise}\n(async () => { ${run} })();`,
  );
  await consumer.write(
    'worker.mjs',
    `${program.replace('@animal-store/client', './client.mjs')}
     export default { fetch: async (request) => Response.json(await exercise(client, await request.json())) };`,
  );
});

afterAll(() => resources.disposeAsync());

/** The paths of the runtimes. The tests themselves run in Node 26. */
const executables = { ...runtimes, 'Node 26': process.execPath };

test.each([
  ['Node 20', 'run.mjs', []],
  ['Node 20', 'run.cjs', []],
  ['Node 22', 'run.mjs', []],
  ['Node 24', 'run.mjs', []],
  ['Node 26', 'run.mjs', []],
  ['Deno', 'run.mjs', ['run', '--no-lock', '--node-modules-dir=manual', '--allow-net']],
  ['Bun', 'run.mjs', ['run']],
] as [keyof typeof executables, string, string[]][])(
  'the runtime %s runs the client from the module %s',
  async (runtime, file, args) => {
    const output = await consumer.run(executables[runtime], [...args, file]);
    expect(JSON.parse(output)).toEqual(expected);
  },
);

test('workerd, the runtime of Cloudflare Workers, runs the client', async () => {
  await consumer.write(
    'config.capnp',
    `using Workerd = import "/workerd/workerd.capnp";
     const config :Workerd.Config = (
       services = [
         (name = "main", worker = (
           modules = [
             (name = "worker.mjs", esModule = embed "worker.mjs"),
             (name = "client.mjs", esModule = embed "node_modules/@animal-store/client/dist/index.js"),
           ],
           compatibilityDate = "2024-09-01",
           globalOutbound = "loopback",
         )),
         (name = "loopback", network = (allow = ["private", "local"])),
       ],
       sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
     );`,
  );
  const workerd = spawn(runtimes.workerd, ['serve', '--control-fd=1', 'config.capnp'], {
    cwd: consumer.path,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await using running = new AsyncDisposableStack();
  running.defer(() => void workerd.kill());

  let port: number | undefined;
  for await (const line of createInterface(workerd.stdout)) {
    ({ port } = JSON.parse(line) as { port?: number });
    if (port !== undefined) break;
  }
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    body: JSON.stringify(addresses),
  });
  expect(await response.json()).toEqual(expected);
});

test('Chromium runs the client on a page of another origin, and the client can read the response headers', async () => {
  const installed = join(consumer.path, 'node_modules/@animal-store/client/dist/index.js');
  const script = await readFile(installed, 'utf8');
  await using opened = new AsyncDisposableStack();
  const pages = opened.use(
    await startScriptedServer((response, { url }) => {
      const isScript = url === '/client.js';
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? script : '<title>Shop</title>');
    }),
  );
  const browser = await chromium.launch(await chromiumOptions());
  opened.defer(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(hangMs);
  await page.goto(new URL('/', pages.baseUrl).href);
  const answer = `(${exercise})(await import('/client.js'), ${JSON.stringify(addresses)})`;
  expect(await page.evaluate(`(async () => ${answer})()`)).toEqual(expected);
});
