import { expect, test } from 'vitest';
import { renderMarkdown } from './render-markdown.ts';

const code = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

test('renderMarkdown puts code samples and responses next to the text of their section, and puts the text that follows below them', () => {
  const { html } = renderMarkdown(`# Operations

## Add {#add .columns}

**\`POST /v1/pets\`**

### Samples {#add-samples .side}

${code('sh', 'curl')}

${code('go', 'package main')}

### Answer: 201 {#add-answer}

It is added.

${code('json 201', '{"id":1}')}

### Errors: 400 {#add-answers}

${code('json 400', '{"code":"a"}')}

${code('json 400', '{"code":"b"}')}
`);
  const [, before, side, after] =
    /<div class="before">([\s\S]*?)<div class="side">([\s\S]*?)<div class="after">([\s\S]*)/.exec(
      html,
    ) ?? [];
  expect(before).toContain('<h2 id="add"><a class="here" href="#add">Add</a></h2>');
  expect(before).toContain(
    '<p class="endpoint"><span class="method post">POST</span> <code>/v1/pets</code></p>',
  );
  expect(side?.match(/<figure class="sample"/g)).toHaveLength(2);
  expect(side?.match(/<input type="radio" name="answer-add"/g)).toHaveLength(2);
  expect(side?.match(/"code"|"id"/g)).toHaveLength(3);
  expect(after).toContain('It is added.');
  expect(after).not.toContain('<figure');
  expect(html).not.toMatch(/\{[#.]/);
});

test('renderMarkdown renders each subsection of a heading with the class "cards" as a card', () => {
  const { html, sections } = renderMarkdown(
    '# Title\n\n## Start {#go .cards}\n\n### One\n\nFirst.\n\n### Two\n\nSecond.\n\n## End\n',
  );
  expect(html).toMatch(
    /<ul class="cards">\n<li><h3[\s\S]*First[\s\S]*<li><h3[\s\S]*<\/ul>\n<section class="part"><h2/,
  );
  expect(sections.map(({ id, title }) => `${id} ${title}`)).toEqual([
    ...[' Title', 'go Start', 'one One', 'two Two', 'end End'],
  ]);
});

test('renderMarkdown puts each part of a guide into a section element, so that browsers can delay the layout of the parts below the screen', () => {
  const { html } = renderMarkdown(`# Guide

Intro.

## One

Text.

### Inner

## Two
`);
  expect(html.match(/<section class="part">/g)).toHaveLength(2);
  expect(html).toMatch(
    /<section class="part"><h2 id="one">[\s\S]*<h3 id="inner">[\s\S]*<\/section>\n<section class="part"><h2 id="two">/,
  );
});
