import { useDeferredValue, useEffect, useState } from 'react';

/** Long enough that fast typing leads to one call. */
const restMs = 250;

/** A value once it has not changed for a moment. */
export const useRested = (typed: string): string => {
  const [rested, setRested] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setRested(typed), restMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return useDeferredValue(rested);
};
