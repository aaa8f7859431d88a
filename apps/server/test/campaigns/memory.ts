import { type Server, until } from '@animal-store/testkit';
import { scrape } from '../support/observed.ts';
import { percentile } from './percentile.ts';

/** What a server holds on to, in bytes, after its garbage has been collected. */
export type Memory = { readonly heap: number; readonly external: number; readonly rss: number };

/** What makes a server collect its garbage when it is asked to. */
export const collectsGarbage = {
  NODE_OPTIONS: `--import=${new URL('collect-garbage.ts', import.meta.url)}`,
};

/** Looks at a server that {@link collectsGarbage}. */
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

/** How much more may be held in the last third of a run than in the second; the first warms up. */
const mayGrowBy = 1.1;

/** Compares the median of the last third with that of the second. */
export function growthOf(samples: readonly number[]): { ratio: number; isFlat: boolean } {
  const third = Math.floor(samples.length / 3);
  const ratio =
    percentile(samples.slice(-third), 0.5) / percentile(samples.slice(-2 * third, -third), 0.5);
  return { ratio, isFlat: ratio <= mayGrowBy };
}
