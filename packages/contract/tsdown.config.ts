import { formatsDeclaredOnce } from '@animal-store/testkit/declare-once';
import { defineConfig, type UserConfig } from 'tsdown';

const format: UserConfig = {
  format: formatsDeclaredOnce,
  platform: 'neutral',
  target: 'es2022',
  tsconfig: 'tsconfig.build.json',
  dts: { sourcemap: false },
  fixedExtension: false,
};

// The build is only for publishing. Inside the workspace, other packages import the sources.
export default defineConfig([
  {
    ...format,
    entry: ['src/index.ts', 'src/openapi/index.ts'],
    // Each source module becomes one file, so that bundlers can leave out unused schemas.
    unbundle: true,
  },
  {
    ...format,
    // The admin contract is its own package in the workspace. This package publishes it as
    // `./admin` until the next major version.
    entry: { 'admin/index': '../admin-contract/src/index.ts' },
    deps: { alwaysBundle: [/^@animal-store\//] },
    tsconfig: '../tsconfig.admin-contract.json',
    clean: false,
  },
]);
