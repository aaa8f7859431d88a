import { readFile } from 'node:fs/promises';
import { tools } from '@animal-store/heavy-tools';
import type { Page } from 'playwright-core';

/** Finds what keeps people from using the page, as axe-core judges it. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`)))
    await page.evaluate(await readFile(tools.axe, 'utf8'));
  // What passes is not described: on large pages that takes longer than to judge them.
  const result = (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`)) as {
    violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
  };
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
