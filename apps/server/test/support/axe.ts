import { readFile } from 'node:fs/promises';
import { tools } from '@animal-store/heavy-tools';
import type { Page } from 'playwright-core';

/** Returns the accessibility violations that axe-core finds on a page. */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in window`)))
    await page.evaluate(await readFile(tools.axe, 'utf8'));
  // `resultTypes` limits the checks that axe-core describes to failed checks. On large pages,
  // describing all checks would take longer than the checks themselves.
  const result = (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`)) as {
    violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
  };
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}
