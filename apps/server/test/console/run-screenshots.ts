// Makes pictures of every page of the console, to be looked at:
//
//   npm run console:screenshots [text]
//
// Of those whose name contains the text, such as `keys-1024`. They are left in `node_modules/.screenshots/pages`, and the two of the README in `docs/images`.

import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openBrowser } from '../support/browser.ts';
import { openConsole } from '../support/console-browser.ts';
import { adminToken, startSampleService } from './sample-service.ts';

const folder = fileURLToPath(new URL('../../node_modules/.screenshots/pages/', import.meta.url));
const readmeFolder = fileURLToPath(new URL('../../../../docs/images/', import.meta.url));

/** The pictures of the README, by the page that they show: each of one screen. */
const readmePictures: Readonly<Record<string, string>> = {
  'overview-1440-light': 'console-overview.png',
  'keys-1440-dark': 'console-keys.png',
};

await using service = await startSampleService();
const pages: Readonly<Record<string, string>> = {
  overview: 'overview',
  keys: 'keys',
  'keys-empty': 'keys?name=nobody',
  key: `key/${service.keys.busy}`,
  'key-banned': `key/${service.keys.banned}`,
  'new-key': 'new-key',
  accounts: 'accounts',
  account: `account/${service.account}`,
  audit: 'audit',
  deprecation: 'deprecation',
  operators: 'operators',
};

mkdirSync(folder, { recursive: true });
const [text = ''] = process.argv.slice(2);
const browser = await openBrowser();
try {
  for (const width of [1920, 1440, 1280, 1024, 768, 360]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const pictureOf = (name: string) => `${name}-${width}-${colorScheme}`;
      const wanted = Object.entries(pages).filter(([name]) => pictureOf(name).includes(text));
      if (wanted.length === 0) continue;
      await using tab = await openConsole(browser, service.server.opsUrl, {
        token: null,
        viewport: { width, height: 900 },
        colorScheme,
        reducedMotion: 'reduce',
      });
      await tab.page.screenshot({ path: `${folder}${pictureOf('login')}.png` });
      await tab.logIn(adminToken);
      for (const [name, link] of wanted) {
        await tab.show(`#/${link}`);
        await tab.page.screenshot({ path: `${folder}${pictureOf(name)}.png`, fullPage: true });
        const inReadme = readmePictures[pictureOf(name)];
        if (inReadme !== undefined) await tab.page.screenshot({ path: readmeFolder + inReadme });
      }
    }
  }
} finally {
  await browser.close();
}
process.stdout.write(`The pictures are in ${folder}\n`);
