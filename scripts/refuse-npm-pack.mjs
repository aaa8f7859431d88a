// Runs before a package is packed. npm would leave `catalog:` and `workspace:` in the manifest, and
// ignore `publishConfig` and `.pnpmfile.mjs`; the tarball could not be installed.

if (!process.env.npm_config_user_agent?.startsWith('pnpm/')) {
  console.error('Pack it with pnpm: npm exec pnpm pack');
  process.exit(1);
}
