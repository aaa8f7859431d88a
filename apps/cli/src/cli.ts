import { runCli } from './run-cli.ts';

// A program that reads the output, such as `head`, may close the pipe before the CLI has written
// everything. This is not treated as a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  columns: process.stdout.columns,
});
