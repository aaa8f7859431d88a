import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The style sheet, without its comments. Every page contains it: see its first line. */
export const style = readFileSync(new URL('../assets/docs.css', import.meta.url), 'utf8')
  .replaceAll(/\/\*[\s\S]*?\*\//g, '')
  .replaceAll(/\s+/g, ' ')
  .replaceAll(/ ?([{};,>]) ?/g, '$1')
  .replaceAll(/([\w-]): /g, '$1:')
  .trim();

/**
 * The headers of every page. The policy allows the pages' own files, their style sheet, and requests to this
 * service and its staging environment; no text becomes HTML or code.
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
