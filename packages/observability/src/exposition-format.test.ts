import { expect, test } from 'vitest';
import { prefersOpenMetrics } from './exposition-format.ts';

const prometheus2 =
  'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
const prometheus3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';

test.each([
  ['openmetrics', prometheus2],
  ['openmetrics', prometheus3],
  ['openmetrics', 'application/openmetrics-text'],
  ['openmetrics', 'Application/OpenMetrics-Text; Version="1.0.0", text/plain'],
  ['plain', undefined],
  ['plain', '*/*'],
  ['plain', 'text/plain'],
  ['plain', 'text/plain, application/openmetrics-text;q=0.9'],
  ['plain', 'application/openmetrics-text;version=0.0.1'],
  ['plain', 'application/openmetrics-text;q=0'],
  ['plain', 'application/openmetrics-text;q=much'],
  ['plain', ',;nonsense,'],
])('prefersOpenMetrics chooses the format %s for the Accept header %s', (format, accept) => {
  expect(prefersOpenMetrics(accept)).toBe(format === 'openmetrics');
});
