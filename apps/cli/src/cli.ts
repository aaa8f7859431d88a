import { runCli } from './run-cli.ts';

// A program that reads the output, such as `head`, may close the pipe before the CLI has written
// everything. This is not treated as a failure.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') return;
  // Only results are written to stdout. Without this note, a user might create a second key.
  process.stderr.write(
    `error: The command succeeded, but its output cannot be written: ${code}.\n`,
  );
  process.exit(1);
});
// If a message cannot be written to stderr, there is no other place to report that.
process.stderr.on('error', () => {});

process.exitCode = await runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  columns: process.stdout.columns,
});
