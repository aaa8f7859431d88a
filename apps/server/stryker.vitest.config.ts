import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { rooms } from './test/campaigns/mutation/rooms.ts';

// biome-ignore lint/style/noProcessEnv: run-campaign.ts has no other way to tell vitest
const room = process.env['MUTATION_ROOM'] ?? '';

/**
 * Runs the unit tests in `src` before the tests of the whole service. Unit tests take milliseconds,
 * and the first failing test ends the run of a mutant.
 */
class UnitTestsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isService = (file: TestSpecification) => file.moduleId.includes('/test/');
    return files.toSorted((a, b) => Number(isService(a)) - Number(isService(b)));
  }
}

/** The unit tests, and the tests of the service that run in this process. */
export default defineConfig({
  test: {
    include: (rooms[room] ?? Object.values(rooms).flat()).map((file) => `${file}.test.ts`),
    // All test files of a mutant share one process, because loading the service takes longer than
    // most tests.
    isolate: false,
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: ['test/campaigns/mutation/cover-hooks.ts'],
    execArgv: ['--liftoff-only', '--import', `${import.meta.dirname}/src/resolve-drizzle.ts`],
    sequence: { sequencer: UnitTestsFirst },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
