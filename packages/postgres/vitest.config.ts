import { configureTests } from '../../vitest.shared.ts';

export default configureTests('postgres');
