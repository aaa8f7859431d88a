/** Globals that some runtimes have and others lack; this package compiles without their types. */
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

/** The global object. Read its members at the time of use, because code may replace them later. */
export const environment: Environment = globalThis;
