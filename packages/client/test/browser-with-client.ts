import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromiumOptions, hangMs } from '@animal-store/testkit';
import { chromium } from 'playwright-core';
import type { Consumer } from './consumer.ts';
import { startScriptedServer } from './scripted-server.ts';

/** A page in Chromium that can import the packed client. */
interface BrowserWithClient extends AsyncDisposable {
  /** Runs the body of an async function, in which `client` is the module, and gives what it returns. */
  evaluate(body: string): Promise<unknown>;
}

export async function openBrowserWithClient(consumer: Consumer): Promise<BrowserWithClient> {
  const installed = join(consumer.path, 'node_modules/@animal-store/client/dist/index.js');
  const client = await readFile(installed, 'utf8');
  await using resources = new AsyncDisposableStack();
  const pages = resources.use(
    await startScriptedServer((response, { line }) => {
      const isScript = line.includes('.js');
      response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
      response.end(isScript ? client : '<title>Shop</title>');
    }),
  );
  const browser = await chromium.launch(await chromiumOptions());
  resources.defer(() => browser.close());
  const page = await browser.newPage();
  page.setDefaultTimeout(hangMs);
  await page.goto(new URL('/', pages.baseUrl).href);
  const opened = resources.move();
  return {
    evaluate: (body) =>
      page.evaluate(`(async () => { const client = await import('/client.js'); ${body} })()`),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
