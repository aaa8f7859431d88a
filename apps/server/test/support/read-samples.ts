import { guideMarkdownPath } from '../../src/reference/docs-pages.ts';
import { guides } from '../../src/reference/guides.ts';
import { type Sample, samplesOf } from './run-samples.ts';

/** Reads the samples of all guides, as a service shows them: they name its own address. */
export async function readSamples(origin: string): Promise<Sample[]> {
  const texts = await Promise.all(
    guides.map(async ({ name }) => {
      const response = await fetch(origin + guideMarkdownPath(name));
      return samplesOf(name, await response.text());
    }),
  );
  return texts.flat();
}
