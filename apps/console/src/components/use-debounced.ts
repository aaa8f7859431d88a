import { useEffect, useState } from 'preact/hooks';

/** How long after the last letter something is looked for, in milliseconds. */
const pauseMs = 200;

/** What somebody types, once they pause. */
export function useDebounced(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), pauseMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}
