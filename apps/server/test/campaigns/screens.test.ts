import { docsPaths, guidePath, guides } from '@animal-store/docs';
import { expect, test } from 'vitest';
import { desktop, expectReadable, phone } from '../browser/journeys/read-docs.ts';
import { tourConsole } from '../support/tour-console.ts';
import { useConsole } from '../support/use-console.ts';

const store = useConsole();

test('every page of the console is accessible and fits the window at every tested width', async () => {
  await tourConsole(store, {
    widths: [360, 640, 768, 1024, 1152, 1280, 1440, 1920],
    judged: { 360: 'dark', 1440: 'light' },
    judgedWhenOpen: [360],
  });
});

test.each([
  ['desktop', desktop],
  ['phone', phone],
] as const)('every guide is accessible and fits the screen of a %s', async (_name, device) => {
  const paths = [docsPaths.home, ...guides.map(({ name }) => guidePath(name)), docsPaths.changelog];
  expect(paths.length).toBeGreaterThan(10);
  await expectReadable(store, device, [...paths, '/docs/nosuch']);
});
