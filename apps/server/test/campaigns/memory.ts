import { type Server, until } from '@animal-store/testkit';
import { scrape } from '../support/observed.ts';
import { percentile } from './percentile.ts';

/** The memory of a server in bytes, measured after a garbage collection. */
export type Memory = { readonly heap: number; readonly external: number; readonly rss: number };

/** The environment variables of a server that collects its garbage on request. */
export const collectsGarbage = {
  NODE_OPTIONS: `--import=${new URL('collect-garbage.ts', import.meta.url)}`,
};

/** Measures the memory of a server that was started with {@link collectsGarbage}. */
export async function memoryOf(server: Server): Promise<Memory> {
  const collections = () => server.output().split('Garbage is collected.').length;
  const before = collections();
  server.signal('SIGUSR2');
  await until(() => collections() > before);
  const metrics = await scrape(server);
  const gauge = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
  return {
    heap: gauge('nodejs_heap_size_used_bytes'),
    external: gauge('nodejs_external_memory_bytes'),
    rss: gauge('process_resident_memory_bytes'),
  };
}

/**
 * The factor by which the memory may grow from the second third of a run to the last third. The
 * first third is the warm-up.
 */
const mayGrowBy = 1.1;

/** Compares the median of the last third of the samples with the median of the second third. */
export function growthOf(samples: readonly number[]): { ratio: number; isFlat: boolean } {
  const third = Math.floor(samples.length / 3);
  const ratio =
    percentile(samples.slice(-third), 0.5) / percentile(samples.slice(-2 * third, -third), 0.5);
  return { ratio, isFlat: ratio <= mayGrowBy };
}
