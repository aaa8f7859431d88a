import { useEffect, useState } from 'preact/hooks';

/** How long after the last key press the search starts, in milliseconds. */
const pauseMs = 200;

/** Returns the input after a pause. */
export function useDebounced(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
