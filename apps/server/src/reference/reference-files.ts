import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { stringifyJson } from '@animal-store/contract';
import { createOpenApi } from '@animal-store/contract/openapi';
import { digest, type StaticFile } from '../http/send-file.ts';
import { type ReferenceOptions, toScalarDocument } from './reference-document.ts';
import { contentSecurityPolicy, referencePage } from './reference-page.ts';

const assets = new URL('../../assets/reference/', import.meta.url);
const readAsset = (name: string) => readFileSync(new URL(name, assets));

/** Creates all files of the reference, by path. */
export function createReferenceFiles(options: ReferenceOptions): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  const script = 'text/javascript; charset=utf-8';
  const json = 'application/json; charset=utf-8';

  const addNamedByContent = (
    name: string,
    extension: string,
    file: Omit<StaticFile, 'immutable'>,
  ) => {
    const path = `/docs/${name}.${digest(file.bytes).slice(0, 12)}.${extension}`;
    files.set(path, { ...file, immutable: true });
    return path;
  };
  const gzipped = readAsset('scalar.js.gz');
  const paths = {
    bundle: addNamedByContent('scalar', 'js', {
      type: script,
      bytes: gunzipSync(gzipped),
      gzipped,
    }),
    start: addNamedByContent('reference', 'js', { type: script, bytes: readAsset('reference.js') }),
    style: addNamedByContent('reference', 'css', {
      type: 'text/css; charset=utf-8',
      bytes: readAsset('reference.css'),
    }),
    icon: addNamedByContent('icon', 'svg', { type: 'image/svg+xml', bytes: readAsset('icon.svg') }),
  };

  const document = createOpenApi(options);
  for (const [path, content] of [
    ['/openapi.json', document],
    ['/docs/openapi.json', toScalarDocument(document, options)],
  ] as const) {
    const bytes = Buffer.from(stringifyJson(content));
    files.set(path, { type: json, bytes, gzipped: gzipSync(bytes), immutable: false });
  }
  files.set('/docs', {
    type: 'text/html; charset=utf-8',
    bytes: Buffer.from(referencePage(paths)),
    immutable: false,
    headers: {
      'Content-Security-Policy': contentSecurityPolicy(options),
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
    },
  });
  return files;
}
