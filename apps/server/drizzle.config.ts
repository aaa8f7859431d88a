// The configuration of drizzle-kit. Only the campaigns install drizzle-kit, not `npm test`.
export default {
  dialect: 'postgresql',
  schema: './src/schema/schema.ts',
  out: './src/schema/migrations',
};
