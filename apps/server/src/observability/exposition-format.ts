import { MIMEType } from 'node:util';

const openMetrics = 'application/openmetrics-text';

/**
 * Says whether a scraper prefers OpenMetrics 1.0.0, the only format that has exemplars, to the plain text format.
 *
 * Parameters but the version select nothing here. Prometheus 3 adds `escaping=allow-utf-8`, which makes no difference
 * to names of ASCII letters.
 *
 * @param accept the header of the request (RFC 9110, §12.5.1).
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
