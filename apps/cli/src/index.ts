export { cliVariables } from './cli-settings.ts';
export { runCli } from './run-cli.ts';
export { showKey } from './show-keys.ts';
