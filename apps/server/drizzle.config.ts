// For drizzle-kit, which `npm test` does not install.
export default {
  dialect: 'postgresql',
  schema: './src/database/schema.ts',
  out: './src/database/migrations',
};
