/**
 * The global variables that only some runtimes have. This file declares them, because the package
 * compiles without the types of any runtime.
 */
interface Environment {
  process?: {
    env?: {
      ANIMAL_STORE_BASE_URL?: string | undefined;
      ANIMAL_STORE_API_KEY?: string | undefined;
    };
    emitWarning?: (warning: string, type: string) => void;
  };
  location?: { origin: string };
  navigator?: { userAgent?: string; onLine?: boolean };
}

/**
 * The global object. Read a member each time you need it and keep no copy, because tests and tools
 * may replace globals at any time.
 */
export const environment: Environment = globalThis;
