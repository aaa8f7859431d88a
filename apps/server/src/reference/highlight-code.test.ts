import { expect, test } from 'vitest';
import { highlightCode } from './highlight-code.ts';

/** The words that have a colour, with their kinds. */
const wordsOf = (code: string, language: string) =>
  Array.from(
    highlightCode(code, language).matchAll(/<span class="(\w+)">([\s\S]*?)<\/span>/g),
    ([, kind, word]) => `${kind} ${word}`,
  );

test.each([
  [
    'ts',
    `const n = 30_000; // it's "30 s"`,
    ['keyword const', 'number 30_000', "comment // it's &quot;30 s&quot;"],
  ],
  ['js', 'await get(`$url//x`)', ['keyword await', 'string `$url//x`']],
  [
    'sh',
    `curl "http://a#b" \\\n  -d '{"a":\n1}' # so`,
    [
      'keyword curl',
      'string &quot;http://a#b&quot;',
      "string '{&quot;a&quot;:\n1}'",
      'comment # so',
    ],
  ],
  [
    'python',
    'if x: # "a"\n  """b"""',
    ['keyword if', 'comment # &quot;a&quot;', 'string &quot;&quot;&quot;b&quot;&quot;&quot;'],
  ],
  [
    'go',
    'var a = `json:"id"` // b',
    ['keyword var', 'string `json:&quot;id&quot;`', 'comment // b'],
  ],
  [
    'json',
    '{"a": -1, "b": null}',
    ['string &quot;a&quot;', 'number -1', 'string &quot;b&quot;', 'keyword null'],
  ],
  ['text', 'const "a"', []],
])('%s: %s', (language, code, words) => {
  expect(wordsOf(code, language)).toEqual(words);
});

test('code stays as it was', () => {
  const code = 'a < b && "c>" // <d>';
  const text = highlightCode(code, 'ts').replaceAll(/<\/?span[^>]*>/g, '');
  expect(text).toBe('a &lt; b &amp;&amp; &quot;c&gt;&quot; // &lt;d&gt;');
});
