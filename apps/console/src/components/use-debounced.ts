import { useEffect, useState } from 'preact/hooks';

/** How long the search waits after the last key press, in milliseconds. */
const pauseMs = 200;

/** Returns the typed text as soon as the operator pauses. */
export function useDebounced(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
