import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLink, formatLinks } from './link.ts';

test('formatLinks writes links in the format of RFC 8288', () => {
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

test('findLink finds each link in a header that formatLinks wrote', () => {
  // Each generated URL contains letters, and characters such as `,` and `;` that also separate the
  // parts of a `Link` header.
  const url = fc.stringMatching(/^https:\/\/[a-z]{1,9}\/[\w\-.~:?#[\]@!$&'()*+,;=%]{0,20}$/);
  fc.assert(
    fc.property(fc.array(url, { maxLength: 4 }), url, (urls, next) => {
      const links = urls.map((url, index) => ({ url, rel: `other-${index}` }));
      const header = formatLinks([...links, { url: next, rel: 'next' }, ...links]);
      expect(findLink(header, 'next')).toBe(next);
      for (const { url, rel } of links) expect(findLink(header, rel)).toBe(url);
      expect(findLink(header, 'prev')).toBeUndefined();
    }),
    { seed: 1 },
  );
});

test.each([
  ['</a>;rel=next', '/a'],
  ['</a> ; REL = "NEXT"', '/a'],
  ['</a>; rel="prev next first"', '/a'],
  ['</a>; title="a, <b>; rel=\\"next\\""; rel="next"', '/a'],
  ['</a>; rel="prev", </b>; rel="next", </c>; rel="next"', '/b'],
  ['</a,b;c?d=1>; rel="next"', '/a,b;c?d=1'],
  ['<>; rel="next"', ''],
  ['</a>; crossorigin; rel="next"', '/a'],
  ['nonsense, </a>; rel="next"', '/a'],
])('findLink finds the next link in %s', (header, expected) => {
  expect(findLink(header, 'next')).toBe(expected);
});

test.each([
  '',
  '</a>; rel',
  '</a>; rel="next-page"',
  '</a>; xrel="next"',
  '</a>; rel="prev"; rel="next"',
  '</a>; title="; rel=next"; rel="prev"',
  '</a>; title="</b>; rel=next"',
  '</a; rel="next"',
  '/a; rel="next"',
])('findLink finds no next link in %j', (header) => {
  expect(findLink(header, 'next')).toBeUndefined();
});

// Regression: a pattern with `[^>]*` for the target took 0.4 s for 16,000 characters of the first
// text. The test has longer texts: a function with quadratic time would need a minute for them, and
// a function with linear time needs milliseconds.
test.each([
  ['targets that do not end', '<'.repeat(200_000)],
  ['parameters', `<a>${';b='.repeat(70_000)}`],
  ['spaces', `<a>;b=${' '.repeat(200_000)}`],
  ['quotes that do not end', '<a>;b="'.repeat(60_000)],
  ['backslashes', `<a>;b="${'\\'.repeat(200_000)}`],
  ['relation types', `<a>${';rel   '.repeat(60_000)}`],
])(
  'findLink reads a long hostile header in linear time when it repeats %s',
  (_what, header) => {
    expect(findLink(header, 'next')).toBeUndefined();
  },
  10_000,
);
