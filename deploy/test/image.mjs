import { equal, ok } from 'node:assert/strict';
import { chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../packages/testkit/src/index.ts';
import { buildImage, image, makeBase } from './containers.mjs';
import { ask, containerMs } from './steps.mjs';

/** The largest allowed size of the image, in bytes. Node 26 takes 150 MB of it. */
const maxBytes = 245e6;

/** Builds the image, and runs it with as few permissions as possible. */
export async function testImage({ containers, freePort, say }) {
  const { podman, directory } = containers;
  await makeBase(containers);
  await buildImage(containers);
  const { stdout } = await podman(['image', 'inspect', image]);
  const [{ Size, Config, Healthcheck }] = JSON.parse(stdout);
  say(`${(Size / 1e6).toFixed(0)} MB`);
  ok(Size <= maxBytes, `The image has ${Size} bytes, expected at most ${maxBytes}.`);
  equal(Config.User, '1000:1000');
  equal(Config.Cmd[0], 'node');
  ok(Healthcheck !== undefined, 'The image has no health check.');

  const [port, opsPort] = [await freePort(), await freePort()];
  const data = join(directory, 'data');
  mkdirSync(data);
  chownSync(data, 1000, 1000);
  // The container runs with a read-only file system and without any Linux capabilities.
  await podman([
    ...['run', '--detach', '--name', 'embedded', '--network', 'host', '--volume', `${data}:/data`],
    ...['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ...['--env', `PORT=${port}`, '--env', `OPS_PORT=${opsPort}`, '--env', 'HOST=127.0.0.1'],
    ...['--env', 'OPS_HOST=127.0.0.1', image],
  ]);
  await until(async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok, containerMs);
  const { stdout: banner } = await podman(['logs', 'embedded']);
  const [token] = /\bast_[0-9A-Za-z]{36}\b/.exec(banner);
  const response = await ask(`http://127.0.0.1:${port}/v1/pets?limit=2`, token);
  equal((await response.json()).length, 2);
  equal((await fetch(`http://127.0.0.1:${opsPort}/console`)).status, 200);
  // Without systemd, podman does not run health checks on schedule. So the test runs a health check
  // itself.
  await podman(['healthcheck', 'run', 'embedded']);
  await podman(['stop', '--time', '20', 'embedded']);
  equal((await podman(['wait', 'embedded'])).stdout.trim(), '0');
}
