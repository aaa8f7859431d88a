import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { guideMarkdownPath, guides } from '@animal-store/docs';
import { findProgram, repository, temporaryDirectory } from '@animal-store/testkit';

const run = promisify(execFile);

const languages = ['sh', 'ts', 'js', 'python', 'go'] as const;

/** A code sample of a guide. */
export type Sample = {
  /** The name of the sample: the guide, the heading above the sample, and the language. */
  readonly name: string;
  readonly language: (typeof languages)[number];
  readonly source: string;
};

/**
 * Matches the headings of the parts of an operation. Every operation has the same parts, so their
 * headings do not identify a sample.
 */
const partOfOperation = /^(Parameters|Request body|Samples|Response|Errors)$/;

/**
 * Returns the samples in the Markdown of a guide: all code blocks in a language that the tests can
 * run.
 */
function samplesOf(guide: string, markdown: string): Sample[] {
  const samples: Sample[] = [];
  let heading = '';
  const parts = /^#+ (.+)$|^```(\w+)\n([\s\S]*?)^```$/gm;
  for (const [, title, lang, source = ''] of markdown.matchAll(parts)) {
    if (title !== undefined && !partOfOperation.test(title)) heading = title;
    const language = languages.find((name) => name === lang);
    if (language === undefined) continue;
    samples.push({ name: `${guide}, ${heading}, ${language}`, language, source });
  }
  return samples;
}

/**
 * Reads the samples of all guides from a running service, so that the samples contain the address
 * of this service.
 */
export async function readSamples(origin: string): Promise<Sample[]> {
  const texts = await Promise.all(
    guides.map(async ({ name }) => {
      const response = await fetch(origin + guideMarkdownPath(name));
      return samplesOf(name, await response.text());
    }),
  );
  return texts.flat();
}

/** Runs samples without changing them, and returns the output of each sample by its name. */
export async function runSamples(
  samples: readonly Sample[],
  apiKey: string,
): Promise<Record<string, string>> {
  await using directory = await temporaryDirectory();
  const modules = join(directory.path, 'node_modules');
  await mkdir(join(modules, '@animal-store'), { recursive: true });
  await symlink(join(repository, 'packages/client'), join(modules, '@animal-store/client'));
  const openapiFetch = join(repository, 'apps/server/node_modules/openapi-fetch');
  await symlink(openapiFetch, join(modules, 'openapi-fetch'));

  const outcomes: Record<string, string> = {};
  const env = {
    // biome-ignore lint/style/noProcessEnv: the samples call curl
    PATH: String(process.env['PATH']),
    ANIMAL_STORE_API_KEY: apiKey,
    ...{ HOME: directory.path, GOPROXY: 'off', CGO_ENABLED: '0' },
    GOCACHE: join(repository, 'node_modules/.cache/go-build'),
  };
  const outputOf = async (command: string, ...args: string[]): Promise<string> => {
    const { stdout, stderr } = await run(command, args, { cwd: directory.path, env }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
    return stdout + stderr;
  };
  /** Writes each sample of a language to a file and runs the file. */
  async function runFiles(
    language: Sample['language'],
    file: string,
    find: () => Promise<string>,
    ...args: string[]
  ) {
    for (const { name, source } of samples.filter((sample) => sample.language === language)) {
      await writeFile(join(directory.path, file), source);
      outcomes[name] = await outputOf(await find(), ...args, file);
    }
  }
  async function runNode() {
    const ofNode = samples.filter(({ language }) => language === 'ts' || language === 'js');
    const end = 'end of a sample';
    let program = '';
    for (const [index, { language, source }] of ofNode.entries()) {
      const file = `sample-${index}.m${language}`;
      await writeFile(join(directory.path, file), source);
      // Errors are printed, because some samples end with the error that they explain.
      program += `await import('./${file}').catch(console.log);console.log('${end}');\n`;
    }
    await writeFile(join(directory.path, 'samples.mjs'), program);
    const outputs = (await outputOf(process.execPath, 'samples.mjs')).split(`${end}\n`);
    for (const [index, { name }] of ofNode.entries()) outcomes[name] = outputs[index] ?? '';
  }

  // The languages run at the same time, because a sample needs most of its time for the start of
  // its process.
  await Promise.all([
    runFiles('sh', 'sample.sh', async () => (await findProgram('curl')) && 'sh'),
    runNode(),
    runFiles('python', 'sample.py', () => findProgram('python')),
    runFiles('go', 'sample.go', () => findProgram('go'), 'run'),
  ]);
  return outcomes;
}

const ok = /^HTTP\/1.1 200/;
const created = /^HTTP\/1.1 201/;
const mia = /Mia/;
const invalidLimit = /^invalid_request limit: /m;

const everywhere = (expected: RegExp) => ({
  ts: expected,
  js: expected,
  python: expected,
  go: expected,
});

/** The expected outputs of the samples: by guide and heading, and then by language. */
const outputs: Readonly<Record<string, Partial<Record<Sample['language'], RegExp>>>> = {
  'start, Read': { sh: ok },
  'start, Write': { sh: created },
  'operations, List animals': { sh: ok, ...everywhere(mia) },
  'operations, Add an animal': { sh: created, ...everywhere(/^\d+$/m) },
  'operations, Get an animal by its id': { sh: ok, ...everywhere(mia) },
  'operations, Show your rate limits': {
    ...{ sh: ok, ...everywhere(/remaining/), ts: /^\d+ remaining of \d+$/m },
  },
  'operations, List orders': { sh: /^HTTP\/1.1 501/, ...everywhere(/not_implemented/) },
  'limits, After a 429': {
    ...{ sh: /^\[(?:\{[^{]+){5}\]$/m, ts: /^5 animals$/m, js: /^5 animals$/m },
    ...{ python: /^5 animals$/m, go: /^200 OK \d+ left$/m },
  },
  'errors, In code': {
    ts: /^invalid_request name: .* \S+\/docs#error-invalid_request$/m,
    ...{ python: invalidLimit, go: invalidLimit },
  },
  'pagination, All pages, in code': everywhere(/^\d+ Mia$/m),
  'idempotency, Idempotency keys': { sh: /^HTTP\/1.1 201[\s\S]*^Idempotent-Replayed: true/m },
  'deprecation, Before': { sh: ok, ts: mia, python: mia, go: mia },
  'deprecation, After': { sh: ok, ts: mia, python: mia, go: mia },
  'typescript, First calls': { ts: /^Added animal \d+\. \d+ animals are for sale\.$/m },
  'typescript, Retries and waits': { ts: /^\d+ animals, \d+ left$/m },
  'typescript, Time limits and cancelling': { ts: /^\d+ animals$/m },
  'typescript, Test code that uses the client': { ts: /^Mia,Tom 2$/m },
  'languages, openapi-fetch': { ts: /^Added animal \d+\. \d+ animals are for sale\.$/m },
  'languages, Write a client': {
    python: /^Mia has category 9007199254740993\n\d+ animals are for sale$/m,
    go: /^9007199254740993 \d+ animals are for sale$/m,
  },
};

/** The expected outputs, by the name of each sample. */
export const expectedOutputs: Readonly<Record<string, RegExp>> = Object.fromEntries(
  Object.entries(outputs).flatMap(([heading, byLanguage]) =>
    Object.entries(byLanguage).map(([language, expected]) => [`${heading}, ${language}`, expected]),
  ),
);

/** Returns the outputs that differ from the expected ones, with the names of their samples. */
export function unexpectedOutputs(
  outputs: Readonly<Record<string, string>>,
): [name: string, output: string][] {
  return Object.entries(outputs).filter(([name, output]) => !expectedOutputs[name]?.test(output));
}
