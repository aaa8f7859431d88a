import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const style = readFileSync(new URL('../src/styles/1-base.css', import.meta.url), 'utf8');
const variables = /--([\w-]+): light-dark\((#\w+), (#\w+)\)/g;
/** The CSS variables of colours, with their values in the light and the dark theme. */
const colours = Array.from(style.matchAll(variables), ([, name = '', light = '', dark = '']) => ({
  name,
  light: toLinear(light),
  dark: toLinear(dark),
}));
const outcomes = colours.filter(({ name }) => name.startsWith('outcome-'));
const themes = ['light', 'dark'] as const;

/**
 * Matrices that simulate how people with a kind of colour blindness see linear RGB colours
 * (Machado, Oliveira and Fernandes, 2009).
 */
const sights = {
  'full colour vision': [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [
    0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998,
  ],
  deuteranopia: [
    0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881,
  ],
  tritanopia: [
    1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039,
  ],
};

// The matrices that convert linear RGB to the colour space Oklab (Ottosson, 2020). In Oklab, the
// distance between two colours shows how different they look to people.
const toCones = [
  0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451, 0.1073969566, 0.0883024619,
  0.2817188376, 0.6299787005,
];
const toOklab = [
  0.2104542553, 0.793617785, -0.0040720468, 1.9779984951, -2.428592205, 0.4505937099, 0.0259040371,
  0.7827717662, -0.808675766,
];

function toLinear(colour: string): number[] {
  const digits = colour.slice(1).replace(/^(.)(.)(.)$/, '$1$1$2$2$3$3');
  return [0, 2, 4].map((at) => {
    const value = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

const multiply = (matrix: readonly number[], vector: readonly number[]): number[] =>
  [0, 3, 6].map((row) =>
    vector.reduce((sum, value, column) => sum + value * (matrix[row + column] ?? 0), 0),
  );

// The number is about seven times the smallest difference that people can see.
const clearlyDifferent = 0.14;

test.each(Object.entries(sights))(
  'the chart colours of any two request outcomes look clearly different to a person with %s',
  (_, sight) => {
    const seen = (rgb: readonly number[]) => {
      const cut = multiply(sight, rgb).map((value) => Math.min(1, Math.max(0, value)));
      return multiply(toOklab, multiply(toCones, cut).map(Math.cbrt));
    };
    const alike = themes.flatMap((theme) =>
      outcomes.flatMap((one, place) =>
        outcomes.slice(0, place).flatMap((other) => {
          const [a, b] = [seen(one[theme]), seen(other[theme])];
          const distance = Math.hypot(...a.map((value, axis) => value - (b[axis] ?? 0)));
          return distance > clearlyDifferent ? [] : [`${theme}: ${one.name}, ${other.name}`];
        }),
      ),
    );
    expect([outcomes.length, alike]).toEqual([6, []]);
  },
);
