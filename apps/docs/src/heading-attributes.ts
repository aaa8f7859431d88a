/**
 * Matches the attributes at the end of a heading, as in Pandoc: `## Title {#anchor .class}`. The
 * Markdown standard has no attributes. The anchor is the address of the heading.
 *
 * The class `columns` puts code next to the text. The class `side` puts a whole section into the
 * column of code, and the class `cards` renders each subsection as a card.
 */
const attributes = /\s*\{((?:[#.][\w.-]+ ?)+)\}$/;

/** Matches the attributes of all headings in a text, so that they can be removed. */
export const headingAttributes = /^(#+ .*?)\s*\{(?:[#.][\w.-]+ ?)+\}$/gm;

export interface HeadingAttributes {
  readonly title: string;
  readonly anchor: string | undefined;
  readonly classes: readonly string[];
}

/** Parses a heading into its title and its attributes. */
export function readHeading(text: string): HeadingAttributes {
  const words = attributes.exec(text)?.[1]?.split(' ') ?? [];
  const wordsWith = (mark: string) =>
    words.filter((it) => it.startsWith(mark)).map((it) => it.slice(1));
  return {
    title: text.replace(attributes, ''),
    anchor: wordsWith('#')[0],
    classes: wordsWith('.'),
  };
}
