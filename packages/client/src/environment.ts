/** What some runtimes have and others lack; this package compiles without their types. */
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

/** The global object. Look at its members when they are needed: what replaces them later must count. */
export const environment: Environment = globalThis;
