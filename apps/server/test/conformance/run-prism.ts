// Sends traffic through Prism, a proxy that holds every answer against the document by code that
// nobody here wrote. npx fetches it, so it is no dependency and not part of npm test:
//
//   node test/reference/run-prism.ts <base URL, ending in /v1> <API key> [requests]

import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@animal-store/contract';
import { freePort, temporaryDirectory, until } from '@animal-store/testkit';
import fc from 'fast-check';
import { send } from '../support/send.ts';
import { operationsOf } from './open-api.ts';
import { shown, trials } from './requests.ts';

const prism = '@stoplight/prism-cli@5.16.0';

const [baseUrl = '', apiKey = '', requests = '2000'] = process.argv.slice(2);
const document = await (await fetch(new URL('/openapi.json', baseUrl))).text();
await using directory = await temporaryDirectory();
const file = join(directory.path, 'openapi.json');
// To Prism, the format int64 means a double's safe integers, and it refuses what is beyond them. Its
// copy of the document goes without that format and its bounds, so they are not proved here; our own
// fuzzing proves them. Nothing else is changed.
const withoutInt64 = (_name: string, value: unknown) =>
  typeof value === 'bigint' || value === 'int64' ? undefined : value;
await writeFile(file, JSON.stringify(parseJson(document), withoutInt64));

const port = await freePort();
const proxy = spawn('npx', ['--yes', prism, 'proxy', file, baseUrl, '--port', String(port)], {
  stdio: ['ignore', 'ignore', 'inherit'],
  detached: true,
});
// npx starts the proxy as a child, so the whole group has to end; it may have ended already.
const stop = () => {
  try {
    if (proxy.pid !== undefined) process.kill(-proxy.pid, 'SIGKILL');
  } catch {}
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stop();
    process.exit(1);
  });
}
try {
  const proxied = `http://127.0.0.1:${port}`;
  await until(
    () =>
      fetch(proxied).then(
        () => true,
        () => false,
      ),
    { timeoutMs: 180_000 },
  );
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(
      trials(operationsOf(parseJson(document)), apiKey).map(shown),
      async (trial) => {
        // Prism answers methods that are not in the document by itself.
        fc.pre(trial.kind !== 'other method');
        // It never answers a Content-Type or a body that it cannot parse.
        fc.pre([undefined, 'application/json'].includes(trial.sent.headers['Content-Type']));
        fc.pre(trial.sent.body === undefined || isJson(String(trial.sent.body)));
        const { headers, status } = await send(proxied, trial.sent);
        const violations = JSON.parse(headers.get('sl-violations') ?? '[]') as Violation[];
        const ours = violations.filter(({ location: [place] = [] }) => place === 'response');
        if (ours.length > 0) throw new Error(`${status}: ${JSON.stringify(ours)}`);
        checked += 1;
      },
    ),
    { numRuns: Number(requests) },
  );
  process.stdout.write(`Prism finds nothing in ${checked} answers.\n`);
} finally {
  stop();
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

type Violation = {
  readonly location?: readonly string[];
  readonly message: string;
};
