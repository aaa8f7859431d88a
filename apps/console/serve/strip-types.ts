import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * Removes the types from TypeScript sources, so that browsers can run them. What is left keeps its place,
 * so lines and columns in a browser's error are those of the source.
 *
 * In a worker, because there Node can be told not to warn that the function is experimental, without
 * hiding the warnings of the service. The event loop of the service does not wait for it either.
 */
export async function stripTypes(sources: readonly string[]): Promise<readonly string[]> {
  const worker = new Worker(new URL('./strip-types-worker.ts', import.meta.url), {
    workerData: sources,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const [scripts] = await once(worker, 'message');
  return scripts;
}
