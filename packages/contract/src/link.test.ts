import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findLink, formatLinks } from './link.ts';

test('links are formatted as RFC 8288 shows them', () => {
  expect(formatLinks([])).toBe('');
  expect(
    formatLinks([
      { url: 'https://store.example/v1/pets?limit=2&cursor=a', rel: 'next' },
      { url: '/docs', rel: 'deprecation' },
    ]),
  ).toBe(
    '<https://store.example/v1/pets?limit=2&cursor=a>; rel="next", </docs>; rel="deprecation"',
  );
});

test('what is formatted is found', () => {
  fc.assert(
    fc.property(fc.array(fc.webUrl({ withQueryParameters: true })), fc.webUrl(), (urls, next) => {
      const links = urls.map((url, index) => ({ url, rel: `other-${index}` }));
      const header = formatLinks([...links, { url: next, rel: 'next' }, ...links]);
      expect(findLink(header, 'next')).toBe(next);
      for (const { url, rel } of links) expect(findLink(header, rel)).toBe(url);
      expect(findLink(header, 'prev')).toBeUndefined();
    }),
  );
});

describe('findLink', () => {
  test.each([
    ['</a>; rel="next"', '/a'],
    ['</a>; rel=next', '/a'],
    ['</a>;rel=next', '/a'],
    ['</a> ; REL = "NEXT"', '/a'],
    ['</a>; rel="prev next first"', '/a'],
    ['</a>; title="x"; rel="next"; type="text/html"', '/a'],
    ['</a>; title="a, <b>; rel=\\"next\\""; rel="next"', '/a'],
    ['</a>; rel="prev", </b>; rel="next", </c>; rel="next"', '/b'],
    ['</a,b;c?d=1>; rel="next"', '/a,b;c?d=1'],
    ['<>; rel="next"', ''],
    ['</a>; crossorigin; rel="next"', '/a'],
    ['nonsense, </a>; rel="next"', '/a'],
  ])('%s leads on', (header, expected) => {
    expect(findLink(header, 'next')).toBe(expected);
  });

  test.each([
    '',
    '</a>',
    '</a>; rel',
    '</a>; rel=""',
    '</a>; rel="nextish"',
    '</a>; rel="next-page"',
    '</a>; rev="next"',
    '</a>; xrel="next"',
    '</a>; rel="prev"; rel="next"',
    '</a>; title="; rel=next"; rel="prev"',
    '</a>; title="</b>; rel=next"',
    '</a; rel="next"',
    '/a; rel="next"',
    '\u0000<</a',
  ])('%j leads nowhere', (header) => {
    expect(findLink(header, 'next')).toBeUndefined();
  });

  test('takes any text at all', () => {
    const pieces = fc.constantFrom('<', '>', ';', ',', '=', '"', '\\', ' ', 'rel', 'next', '/a');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        findLink(parts.join(''), 'next');
      }),
    );
  });

  // With `[^>]*` for the target, 16,000 characters of the first took 0.4 s, growing with the square.
  test.each([
    ['targets that do not end', '<'.repeat(50_000)],
    ['parameters', `<a>${';b='.repeat(20_000)}`],
    ['spaces', `<a>;b=${' '.repeat(50_000)}`],
    ['links with spaces', `<a>;b=${' '.repeat(50)}`.repeat(1_000)],
    ['quotes that do not end', '<a>;b="'.repeat(7_000)],
    ['backslashes', `<a>;b="${'\\'.repeat(50_000)}`],
    ['escaped quotes', `<a>;b="${'\\"'.repeat(25_000)}`],
    ['relation types', `<a>${';rel   '.repeat(7_000)}`],
    ['separators', '<a>;'.repeat(12_000)],
  ])('a hostile run of %s takes linear time', (_what, header) => {
    const start = Date.now();
    findLink(header, 'next');
    expect(Date.now() - start).toBeLessThan(500);
  });
});
