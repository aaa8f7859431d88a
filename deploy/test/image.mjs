import { equal, match, ok } from 'node:assert/strict';
import { appendFileSync, chownSync, cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../packages/testkit/src/index.ts';
import { buildImage, exitOf, hardened, image, makeBase } from './containers.mjs';
import { ask, containerMs, repository } from './steps.mjs';

const maxBytes = 220e6;
const { version } = JSON.parse(readFileSync(join(repository, 'apps/server/package.json'), 'utf8'));

/** Copies what the image is made of, by the exceptions of .dockerignore. */
function copyContext({ directory }) {
  const context = join(directory, 'context');
  const ignored = readFileSync(join(repository, '.dockerignore'), 'utf8');
  const made = [...ignored.matchAll(/^!(.+)$/gm)].map(([, path]) => path);
  for (const path of ['Dockerfile', '.dockerignore', ...made]) {
    const options = { recursive: true, preserveTimestamps: true };
    cpSync(join(repository, path), join(context, path), options);
  }
  return context;
}

/** Builds the image, and runs it as little trusted as it can be. */
export async function testImage({ containers, freePort, say }) {
  const { podman, directory } = containers;
  await makeBase(containers);
  await buildImage(containers);
  const context = copyContext(containers);
  appendFileSync(join(context, 'apps/server/src/main.ts'), '// Changed.\n');
  const steps = (await buildImage(containers, { tag: `${image}-changed`, context })).split(
    /^STEP /m,
  );
  const installing = steps.find((step) => step.includes(': RUN npx '));
  // A change of sources does not install the packages again.
  match(installing, /Using cache/);

  const { stdout } = await podman(['image', 'inspect', image]);
  const [{ Size, Config, Healthcheck }] = JSON.parse(stdout);
  say(`${(Size / 1e6).toFixed(0)} MB`);
  ok(Size <= maxBytes, `The image has ${Size} bytes.`);
  equal(Config.User, '1000:1000');
  equal(Config.Cmd[0], 'node');
  ok(Healthcheck !== undefined, 'It has no health check.');
  equal(Config.Labels['org.opencontainers.image.licenses'], 'MIT');
  equal(Config.Labels['org.opencontainers.image.version'], version);

  const [port, opsPort] = [await freePort(), await freePort()];
  const start = (name, ...options) =>
    podman([
      ...['run', '--detach', '--name', name, ...hardened, '--network', 'host'],
      ...['--env', `PORT=${port}`, '--env', `OPS_PORT=${opsPort}`, '--env', 'HOST=127.0.0.1'],
      ...['--env', 'OPS_HOST=127.0.0.1', ...options, image],
    ]);
  async function expectRefusal(name, pattern) {
    const { code, lines } = await exitOf(containers, name);
    equal(code, 1);
    equal(lines.length, 1, lines.join('\n'));
    match(lines[0], pattern);
  }
  await start('without-volume');
  await expectRefusal('without-volume', /^DATA_DIR: cannot write to \/data \(EROFS\)/);
  const data = join(directory, 'data');
  mkdirSync(data);
  await start('foreign-volume', '--volume', `${data}:/data`);
  await expectRefusal(
    'foreign-volume',
    /^DATA_DIR: \/data belongs to the user with id 0, and this is 1000\./,
  );

  chownSync(data, 1000, 1000);
  await start('embedded', '--volume', `${data}:/data`);
  await until(async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).ok, containerMs);
  const { stdout: banner } = await podman(['logs', 'embedded']);
  const [token] = /\bast_[0-9A-Za-z]{36}\b/.exec(banner);
  const response = await ask(`http://127.0.0.1:${port}/v1/pets?limit=2`, token);
  equal((await response.json()).length, 2);
  // Nothing ticks health checks without systemd: run it once.
  await podman(['healthcheck', 'run', 'embedded']);
  await podman(['stop', '--time', '20', 'embedded']);
  equal((await exitOf(containers, 'embedded')).code, 0);
}
