import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

const folder = new URL('../../../../docs/images/', import.meta.url);
const notes = new URL('console-pictures.json', folder);

/** What is known of a picture of the README: the file, and the navigation that it shows. */
interface Picture {
  readonly sha256: string;
  readonly navigation: string;
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Reads what the pictures of the README show, by their names; fails if one was changed by hand. */
export async function readPictures(): Promise<Readonly<Record<string, Picture>>> {
  const pictures = JSON.parse(await readFile(notes, 'utf8')) as Record<string, Picture>;
  for (const [name, { sha256 }] of Object.entries(pictures)) {
    if (hashOf(await readFile(new URL(name, folder))) !== sha256)
      throw new Error(`${name} is not of npm run console:screenshots.`);
  }
  return pictures;
}

/** Notes what a new picture shows. */
export async function noteNavigation(
  name: string,
  bytes: Buffer,
  navigation: string,
): Promise<void> {
  const known = await readFile(notes, 'utf8').catch(() => '{}');
  const pictures = { ...JSON.parse(known), [name]: { sha256: hashOf(bytes), navigation } };
  await writeFile(notes, `${JSON.stringify(pictures, null, 2)}\n`);
}
