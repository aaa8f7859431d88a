import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findProgram, temporaryDirectory } from '@animal-store/testkit';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../../', import.meta.url));

const languages = ['sh', 'ts', 'js', 'python', 'go'] as const;

/** A sample of a guide. */
export type Sample = {
  /** The guide, the heading above the sample, and the language. */
  readonly name: string;
  readonly language: (typeof languages)[number];
  readonly source: string;
};

/** Headings below that of an operation, which every operation has. */
const partsOfOperation: ReadonlySet<string> = new Set(['Parameters', 'Samples', 'Answers']);

/** Finds the samples in the Markdown of a guide: all code blocks in a language that can be run. */
export function samplesOf(guide: string, markdown: string): Sample[] {
  const samples: Sample[] = [];
  let heading = '';
  const parts = /^#+ (.+)$|^```(\w+)\n([\s\S]*?)^```$/gm;
  for (const [, title, lang, source = ''] of markdown.matchAll(parts)) {
    if (title !== undefined && !partsOfOperation.has(title)) heading = title;
    const language = languages.find((name) => name === lang);
    if (language === undefined) continue;
    samples.push({ name: `${guide}, ${heading}, ${language}`, language, source });
  }
  return samples;
}

/** Runs samples as they stand, each in a process of its own. @returns what each has printed, by its name. */
export async function runSamples(
  samples: readonly Sample[],
  apiKey: string,
): Promise<Record<string, string>> {
  await using directory = await temporaryDirectory();
  const scope = join(directory.path, 'node_modules/@animal-store');
  await mkdir(scope, { recursive: true });
  await symlink(join(repository, 'packages/client'), join(scope, 'client'));

  const outcomes: Record<string, string> = {};
  const runOne = async ({ name }: Sample, command: string, args: readonly string[] = []) => {
    const { stdout, stderr } = await run(command, args, {
      cwd: directory.path,
      // biome-ignore lint/style/noProcessEnv: the samples call curl
      env: { PATH: String(process.env['PATH']), API_KEY: apiKey },
    }).catch((error: { stdout: string; stderr: string }) => error);
    outcomes[name] = stdout + stderr;
  };
  /** Writes each sample of a language to a file, and runs it. */
  const runFiles = async (
    language: Sample['language'],
    file: string,
    find: () => Promise<string>,
  ) => {
    for (const sample of samples.filter((sample) => sample.language === language)) {
      await writeFile(join(directory.path, file), sample.source);
      await runOne(sample, await find(), [file]);
    }
  };
  const runGo = async () => {
    const ofGo = samples.filter(({ language }) => language === 'go');
    if (ofGo.length === 0) return;
    await writeFile(join(directory.path, 'go.mod'), 'module samples\n\ngo 1.19\n');
    for (const [index, { source }] of ofGo.entries()) {
      await mkdir(join(directory.path, `go${index}`));
      await writeFile(join(directory.path, `go${index}/main.go`), source);
    }
    // All in one build, which compiles what they share once.
    await run(await findProgram('go'), ['build', '-o', 'bin/', './...'], {
      cwd: directory.path,
      env: {
        // biome-ignore lint/style/noProcessEnv: Go may be anywhere
        PATH: String(process.env['PATH']),
        HOME: directory.path,
        GOCACHE: join(repository, 'node_modules/.cache/go-build'),
        CGO_ENABLED: '0',
        GOPROXY: 'off',
      },
    });
    for (const [index, sample] of ofGo.entries()) {
      await runOne(sample, join(directory.path, `bin/go${index}`));
    }
  };

  // The languages at the same time: most of a sample is the start of its process.
  await Promise.all([
    runFiles('sh', 'sample.sh', async () => (await findProgram('curl')) && 'sh'),
    runFiles('ts', 'sample.mts', async () => process.execPath),
    runFiles('js', 'sample.mjs', async () => process.execPath),
    runFiles('python', 'sample.py', () => findProgram('python')),
    runGo(),
  ]);
  return outcomes;
}
