import { MIMEType } from 'node:util';

const openMetrics = 'application/openmetrics-text';

/**
 * Tells whether a scraper prefers OpenMetrics 1.0.0 to the plain text format. Only OpenMetrics
 * contains exemplars. All parameters except the version are ignored. Prometheus 3 sends
 * `escaping=allow-utf-8`, but this makes no difference, because all names are ASCII.
 *
 * @param accept the `Accept` header of the request (RFC 9110, §12.5.1).
 */
export function prefersOpenMetrics(accept = ''): boolean {
  let openWeight = 0;
  let plainWeight = 0;
  for (const text of accept.split(',')) {
    const range = parse(text);
    if (range === undefined) continue;
    const weight = Number(range.params.get('q') ?? 1);
    const version = range.params.get('version') ?? '1.0.0';
    if (range.essence === openMetrics && version === '1.0.0') {
      openWeight = Math.max(openWeight, weight);
    }
    if (range.essence === 'text/plain') plainWeight = Math.max(plainWeight, weight);
  }
  return openWeight > 0 && openWeight >= plainWeight;
}

function parse(text: string): MIMEType | undefined {
  try {
    return new MIMEType(text);
  } catch {
    return undefined;
  }
}
