import { expect, test } from 'vitest';
import { highlightCode } from './highlight-code.ts';

test.each([
  [
    'ts',
    `const n = 30_000; // it's <b>`,
    `<span class="keyword">const</span> n = <span class="number">30_000</span>; <span class="comment">// it's &lt;b&gt;</span>`,
  ],
  [
    'sh',
    `curl "http://a#b" -d '{"a":\n1}' # so`,
    `<span class="keyword">curl</span> <span class="string">&quot;http://a#b&quot;</span> -d <span class="string">'{&quot;a&quot;:\n1}'</span> <span class="comment"># so</span>`,
  ],
  [
    'python',
    'if x: """b"""',
    `<span class="keyword">if</span> x: <span class="string">&quot;&quot;&quot;b&quot;&quot;&quot;</span>`,
  ],
  ['text', 'a < b && "const"', 'a &lt; b &amp;&amp; &quot;const&quot;'],
])('%s: %s', (language, code, html) => {
  expect(highlightCode(code, language)).toBe(html);
});
