import { Label } from './label-schema.ts';

/**
 * The names that the audit log and the log show for someone without an operator's token: the holder
 * of the `ADMIN_TOKEN`, and the local user.
 */
const reservedNames = ['ADMIN_TOKEN', 'local user'];

/** Pairs of a letter or digit and the Latin letter that looks like it in most fonts. */
const smallLetters = pairsOf(
  'аa еe оo рp сc уy хx іi јj ѕs ԁd һh ӏl ԛq ԝw үy οo αa νv ιi υu ρp χx κk ɑa ɡg ıi 0o 1l',
);

/**
 * Pairs of a Cyrillic or Greek capital letter and the Latin capital letter that looks like it. The
 * small letters of some pairs look different, so capital letters have their own list.
 */
const capitalLetters = pairsOf(
  'АA ВB ЕE КK МM НH ОO РP СC ТT УY ХX ІI ЈJ ЅS ԌG ԚQ ԜW ҮY ӀI',
  'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX',
);

function pairsOf(...texts: readonly string[]): ReadonlyMap<string, string> {
  const pairs = texts.flatMap((text) => text.split(' '));
  return new Map(pairs.map(([letter = '', latin = '']) => [letter, latin]));
}

const replaceLetters = (text: string, pairs: ReadonlyMap<string, string>) =>
  Array.from(text, (letter) => pairs.get(letter) ?? letter).join('');

/**
 * Returns the same text for all names that look alike. Compatibility forms, letter case, accents,
 * white space, hyphens and invisible characters make no difference. Cyrillic and Greek letters
 * become the Latin letters that they look like, and digits the letters that they look like.
 */
function skeletonOf(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\p{M}\p{Default_Ignorable_Code_Point}\s\p{Pd}_.]/gu, '');
  return replaceLetters(plain, smallLetters);
}

/**
 * Returns three forms of a name, by which similar names are found. The first form ignores letter
 * case. In the second form, capital letters are replaced by similar Latin letters before the name
 * is lower-cased. For example, a Cyrillic Т looks like a Latin T, but its small letter т does not
 * look like a small t. In the third form, a capital I also counts as a small l.
 */
function skeletonsOf(name: string): readonly string[] {
  const capitals = replaceLetters(name.normalize('NFKD'), capitalLetters);
  return [name, capitals, capitals.replaceAll('I', 'l')].map(skeletonOf);
}

/**
 * Returns whether two names look alike to a reader. Two names look alike if at least one of the
 * three forms that `skeletonsOf` returns is the same.
 */
export function looksAlike(one: string, other: string): boolean {
  const skeletons = skeletonsOf(other);
  return skeletonsOf(one).some((skeleton, index) => skeleton === skeletons[index]);
}

/** The schema of the name of a new operator. The name must not look like a reserved name. */
export const OperatorName = Label.refine(
  (name) => !reservedNames.some((reserved) => looksAlike(name, reserved)),
  {
    error: `expected another name: ${reservedNames.join(' and ')}, and names that look like them, are reserved`,
  },
);
