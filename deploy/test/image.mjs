import { appendFileSync, chownSync, cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildImage, exitOf, expectRefusal, hardened, image, makeBase } from './containers.mjs';
import { containerMs, expect, repository, until } from './steps.mjs';

const maxMegabytes = 220;
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

/** Whether a build ran the step that installs packages, and did not take it from the cache. */
const installs = (output) =>
  output
    .split(/^STEP /m)
    .some((step) => step.includes(': RUN npx ') && !step.includes('Using cache'));

/** Builds the image, and runs it as little trusted as it can be. */
export async function testImage({ containers, freePort, say }) {
  const { podman } = containers;
  await makeBase(containers);
  const { seconds } = await buildImage(containers);
  say(`built in ${seconds.toFixed(0)} s`);
  const context = copyContext(containers);
  appendFileSync(join(context, 'apps/server/src/main.ts'), '// Changed.\n');
  const rebuilt = await buildImage(containers, { tag: `${image}-changed`, context });
  expect(!installs(rebuilt.output), 'A change of sources installs the packages again.');
  say(`built again, with a changed source, in ${rebuilt.seconds.toFixed(0)} s`);

  const { stdout } = await podman(['image', 'inspect', image]);
  const [{ Size, Config, Healthcheck }] = JSON.parse(stdout);
  const megabytes = Size / 1e6;
  say(`${megabytes.toFixed(0)} MB`);
  expect(megabytes <= maxMegabytes, `The image has ${megabytes} MB.`);
  expect(Config.User === '1000:1000', `It runs as ${Config.User}.`);
  expect(Config.Cmd[0] === 'node', `Its command is ${Config.Cmd}.`);
  expect(Healthcheck !== undefined, 'It has no health check.');
  const label = (name) => Config.Labels[`org.opencontainers.image.${name}`];
  expect(label('licenses') === 'MIT', `Its licence is ${label('licenses')}.`);
  expect(label('version') === version, `Its version is ${label('version')}, not ${version}.`);

  const port = await freePort();
  const opsPort = await freePort();
  const start = (name, ...options) =>
    podman([
      ...['run', '--detach', '--name', name, ...hardened, '--network', 'host'],
      ...['--env', `PORT=${port}`, '--env', `OPS_PORT=${opsPort}`, '--env', 'HOST=127.0.0.1'],
      ...['--env', 'OPS_HOST=127.0.0.1', ...options, image],
    ]);

  await start('without-volume');
  expectRefusal(
    await exitOf(containers, 'without-volume'),
    /^DATA_DIR: cannot write to \/data \(EROFS\)/,
  );

  const data = join(containers.directory, 'data');
  mkdirSync(data);
  await start('foreign-volume', '--volume', `${data}:/data`);
  expectRefusal(
    await exitOf(containers, 'foreign-volume'),
    /^DATA_DIR: \/data belongs to the user with id 0, and this is 1000\./,
  );

  chownSync(data, 1000, 1000);
  await start('embedded', '--volume', `${data}:/data`);
  const ready = () => fetch(`http://127.0.0.1:${opsPort}/readyz`).then(({ ok }) => ok);
  await until(ready, 'A ready container', containerMs);
  const { stdout: banner } = await podman(['logs', 'embedded']);
  const token = /\bast_[0-9A-Za-z]{36}\b/.exec(banner)?.[0];
  const response = await fetch(`http://127.0.0.1:${port}/v1/pets?limit=2`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const pets = await response.json();
  expect(
    response.status === 200 && pets.length === 2,
    `${response.status}: ${JSON.stringify(pets)}`,
  );
  // Nothing ticks health checks without systemd: run it once.
  await podman(['healthcheck', 'run', 'embedded']);
  const startedAt = performance.now();
  await podman(['stop', '--time', '20', 'embedded']);
  say(`stopped in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  const { code, lines } = await exitOf(containers, 'embedded');
  expect(code === 0, `It ended with ${code}: ${lines.join('\n')}`);
}
