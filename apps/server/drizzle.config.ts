// The configuration of drizzle-kit, which `npm test` does not install.
export default {
  dialect: 'postgresql',
  schema: './src/schema/schema.ts',
  out: './src/schema/migrations',
};
