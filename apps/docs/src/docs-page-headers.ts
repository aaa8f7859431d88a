import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The style sheet without comments and line breaks. It is embedded in every page. */
export const style = readFileSync(new URL('../assets/docs.css', import.meta.url), 'utf8')
  .replaceAll(/\/\*[\s\S]*?\*\//g, '')
  .replaceAll(/\s+/g, ' ')
  .replaceAll(/ ?([{};,>]) ?/g, '$1')
  .replaceAll(/([\w-]): /g, '$1:')
  .trim();

/**
 * Returns the headers of every page. The Content-Security-Policy allows the site's own files, the
 * embedded style sheet, and requests to this service and its staging environment. So a script that
 * an attacker injects into a page cannot run.
 */
export const docsPageHeaders = (stagingOrigin?: string): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    `img-src 'self'`,
    ['connect-src', `'self'`, stagingOrigin].filter(Boolean).join(' '),
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
});
