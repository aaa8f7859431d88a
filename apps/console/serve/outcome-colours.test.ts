import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Triple = readonly [number, number, number];

const style = readFileSync(new URL('../src/styles/1-base.css', import.meta.url), 'utf8');
const themes = ['light', 'dark'] as const;

/** The colours of both themes of a variable of the style sheet. */
function coloursOf(name: string): readonly string[] {
  const [, light = '', dark = ''] =
    new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(style) ?? [];
  return [light, dark];
}

const names = [...style.matchAll(/--(outcome-[\w-]+):/g)].map(([, name = '']) => name);

/** The matrices of those who lack one kind of cone (Machado, Oliveira and Fernandes, 2009), for linear RGB. */
const sights: Readonly<Record<string, readonly [Triple, Triple, Triple]>> = {
  'full colour vision': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

function linear(colour: string): Triple {
  const digits = colour.slice(1).replace(/^(.)(.)(.)$/, '$1$1$2$2$3$3');
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [r, g, b];
}

const dot = (row: Triple, [r, g, b]: Triple) => row[0] * r + row[1] * g + row[2] * b;

/** Oklab (Ottosson, 2020), in which equal distances look equally different. */
function oklab([r, g, b]: Triple): Triple {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

const seenWith = (sight: readonly [Triple, Triple, Triple], colour: string): Triple => {
  const rgb = linear(colour);
  const [r = 0, g = 0, b = 0] = sight.map((row) => Math.min(1, Math.max(0, dot(row, rgb))));
  return oklab([r, g, b]);
};

const distance = (one: Triple, other: Triple) =>
  Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);

/** About seven times what is just noticeable. */
const clearlyDifferent = 0.14;

test.each(Object.entries(sights))('with %s all outcomes look different', (_, sight) => {
  expect(names).toHaveLength(6);
  for (const theme of themes.keys()) {
    const seen = names.map((name) => seenWith(sight, coloursOf(name)[theme] ?? ''));
    for (const [place, one] of seen.entries()) {
      for (const [before, other] of seen.slice(0, place).entries()) {
        const pair = `${themes[theme]}: ${names[before]} and ${names[place]}`;
        expect(distance(one, other), pair).toBeGreaterThan(clearlyDifferent);
      }
    }
  }
});

test('all outcomes stand out from the page (WCAG 2.2, 1.4.11)', () => {
  const luminance = (colour: string) => dot([0.2126, 0.7152, 0.0722], linear(colour));
  const paper = coloursOf('paper').map(luminance);
  for (const name of names) {
    for (const [theme, colour] of coloursOf(name).entries()) {
      const [low = 0, high = 0] = [luminance(colour), paper[theme] ?? 0].sort((a, b) => a - b);
      expect((high + 0.05) / (low + 0.05), `${themes[theme]}: ${name}`).toBeGreaterThanOrEqual(3);
    }
  }
});
