import { until } from '@animal-store/testkit';
import type { AnyServer } from './local-server.ts';

/** Returns all lines that a server has logged so far. */
export function logOf(
  server: Pick<AnyServer, 'output'>,
): (Record<string, unknown> & { msg: string })[] {
  const lines = server.output().split('\n');
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
}

/** Waits for the log line of a request, which the server writes shortly after the response. */
export function requestLine(server: AnyServer, requestId: string) {
  return until(() => logOf(server).find((line) => line['requestId'] === requestId));
}

/** Requests `/metrics` and returns the text. */
export async function scrape(server: Pick<AnyServer, 'opsUrl'>): Promise<string> {
  const response = await fetch(`${server.opsUrl}/metrics`);
  if (response.status !== 200) throw new Error(`/metrics responded with ${response.status}.`);
  return await response.text();
}

/**
 * Returns the value of a metric in the text of `/metrics`, such as `animal_store_bans_total`.
 * Returns `undefined` if the metric does not exist.
 */
export function sample(metrics: string, series: string): number | undefined {
  const line = metrics.split('\n').find((candidate) => candidate.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}
