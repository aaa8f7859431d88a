// This program serves a web page that calls the service from the browser, with a read-only key. Run it:
// npm run example examples/browser-page/serve.ts

import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { BadRequestError, createClient, InsufficientScopeError } from '@animal-store/client';

interface Settings {
  baseUrl: string;
  apiKey: string;
}

/**
 * Checks that an API key is read-only. The function sends a creation without a name, so the service never
 * adds an animal.
 */
async function mayOnlyRead(settings: Settings): Promise<boolean> {
  try {
    await createClient(settings).request({ method: 'POST', path: '/pets', body: {} });
    throw new Error(
      'The service accepted an animal without a name. Check that ANIMAL_STORE_BASE_URL is the URL of an Animal Store.',
    );
  } catch (error) {
    // The service checks the scope before the body, so a read-only key gets a 403 and any other key
    // a 400.
    if (error instanceof InsufficientScopeError) return true;
    if (error instanceof BadRequestError) return false;
    throw error;
  }
}

export async function createPageServer(settings: Settings): Promise<Server> {
  if (!(await mayOnlyRead(settings))) {
    throw new Error(
      'This key has write permission, so anyone who opens the page could write with it. Create a read-only key:\n  npm run keys -- create --plan free --read-only',
    );
  }
  const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');
  const html = { type: 'text/html; charset=utf-8', body: await read('index.html') };
  const script = (body: string) => ({ type: 'text/javascript; charset=utf-8', body });
  const files = new Map([
    ['/', html],
    ['/page.js', script(await read('page.js'))],
    // The page loads the client as a separate module, because there is no bundler.
    ['/client.js', script(await read(import.meta.resolve('@animal-store/client')))],
    ['/settings.json', { type: 'application/json', body: JSON.stringify(settings) }],
  ]);
  return createServer((request, response) => {
    const file = files.get(request.url ?? '');
    response.writeHead(file ? 200 : 404, { 'Content-Type': file?.type ?? 'text/plain' });
    response.end(file?.body);
  });
}

if (import.meta.main) {
  // biome-ignore lint/style/noProcessEnv: the program starts here.
  const { ANIMAL_STORE_BASE_URL, ANIMAL_STORE_API_KEY = '', PORT = 4001 } = process.env;
  const baseUrl = ANIMAL_STORE_BASE_URL ?? 'http://127.0.0.1:3000/v1';
  try {
    const server = await createPageServer({ baseUrl, apiKey: ANIMAL_STORE_API_KEY });
    server.listen(PORT, () => {
      console.log('Open', `http://localhost:${Object(server.address()).port}/`);
    });
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
