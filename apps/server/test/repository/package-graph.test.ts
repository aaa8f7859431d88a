import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repository } from '@animal-store/testkit';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(join(repository, file), 'utf8');
const folders = globSync('{apps,packages}/*/package.json', { cwd: repository })
  .map((file) => dirname(file))
  .filter((folder) => folder !== 'apps/bench');

test('the package graph in CONTRIBUTING.md matches the dependencies in each package.json', () => {
  const places = new Map(
    folders.map((folder) => [JSON.parse(read(`${folder}/package.json`)).name, folder]),
  );
  const edges = folders.flatMap((folder) => {
    const { dependencies = {} } = JSON.parse(read(`${folder}/package.json`));
    const ours = Object.keys(dependencies).filter((name) => places.has(name));
    return ours.map((name) => `  ${folder} --> ${places.get(name)}`);
  });
  const [, graph = ''] =
    /```mermaid\nflowchart TD\n([^`]*)\n```/.exec(read('CONTRIBUTING.md')) ?? [];
  expect(graph.split('\n')).toEqual(edges.sort());
});

test.each(folders)('the package %s has a README, and CONTRIBUTING.md links to it', (folder) => {
  expect(existsSync(join(repository, folder, 'README.md'))).toBe(true);
  expect(read('CONTRIBUTING.md')).toContain(`](${folder}/README.md)`);
});
