import { expect, test } from 'vitest';
import { highlightCode } from './highlight-code.ts';

const span = (kind: string, text: string) => `<span class="hl-${kind}">${text}</span>`;

test.each([
  [
    'ts',
    'const n = 30_000; // <b>',
    `${span('keyword', 'const')} n = ${span('number', '30_000')}; ${span('comment', '// &lt;b&gt;')}`,
  ],
  [
    'sh',
    `curl "http://a#b" -d '{"a":\n1}' # so`,
    `curl ${span('string', '"http://a#b"')} -d ${span('string', `'{"a":\n1}'`)} ${span('comment', '# so')}`,
  ],
  ['js', 'await get(`/x`)', `${span('keyword', 'await')} get(${span('string', '`/x`')})`],
  ['python', 'if x: """b"""', `${span('keyword', 'if')} x: ${span('string', '"""b"""')}`],
  [
    'go',
    'return nil, 1',
    `${span('keyword', 'return')} ${span('literal', 'nil')}, ${span('number', '1')}`,
  ],
  ['js', 'return await x', `${span('keyword', 'return await')} x`],
  ['json', '{"a": [1]}', `{${span('attr', '"a"')}: [${span('number', '1')}]}`],
  ['text', 'a < b && "const"', 'a &lt; b &amp;&amp; &quot;const&quot;'],
])(
  'highlightCode renders neighbouring words of the same colour in %s code as one element',
  (language, code, html) => {
    expect(highlightCode(code, language)).toBe(html);
  },
);
