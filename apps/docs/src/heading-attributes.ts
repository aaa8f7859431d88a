/**
 * What a heading says of itself at its end, as in Pandoc: `## Title {#anchor .class}`. Markdown itself has neither.
 * The anchor is the heading's address. Of the classes, `columns` puts code beside the text, `side` puts a whole part
 * there, and `cards` makes a card of each part below the heading.
 */
const attributes = /\s*\{((?:[#.][\w.-]+ ?)+)\}$/;

/** Matches the attributes of all headings of a text, to remove them. */
export const headingAttributes = /^(#+ .*?)\s*\{(?:[#.][\w.-]+ ?)+\}$/gm;

export interface HeadingAttributes {
  readonly title: string;
  readonly anchor: string | undefined;
  readonly classes: readonly string[];
}

/** Reads the title and the attributes of a heading. */
export function readHeading(text: string): HeadingAttributes {
  const given = attributes.exec(text)?.[1]?.split(' ') ?? [];
  const named = (mark: string) =>
    given.filter((it) => it.startsWith(mark)).map((it) => it.slice(1));
  return {
    title: text.replace(attributes, ''),
    anchor: named('#')[0],
    classes: named('.'),
  };
}
