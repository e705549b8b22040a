import { now } from './clock.ts';

/**
 * What a process keeps from one invocation to the next, to save calls. It is lost whenever the process ends, so nothing may depend on it:
 * fault runs clear it at each death (test/support/crash-injection.ts).
 */
export const processMap = <Key, Value>(): Map<Key, Value> => registered(new Map<Key, Value>());
export const processSet = <Value>(): Set<Value> => registered(new Set<Value>());

/** One value, made with its first use. */
export const processValue = <Value>(make: () => Value): (() => Value) => {
  const made = processMap<'value', { value: Value }>();
  return () => {
    const known = made.get('value') ?? { value: make() };
    made.set('value', known);
    return known.value;
  };
};

/** Whether the turn of a key has come in this process: at most once in so many milliseconds, in whichever direction the clock was set. */
export const atMostEvery = <Key>(everyMs: number): ((key: Key) => boolean) => {
  const lastAt = processMap<Key, number>();
  return (key) => {
    const before = lastAt.get(key);
    if (before !== undefined && Math.abs(now() - before) < everyMs) return false;
    if (lastAt.size >= maxKeys) lastAt.clear();
    lastAt.set(key, now());
    return true;
  };
};
const maxKeys = 10_000;

/** As after a death: the next invocation begins with nothing. */
export const clearProcessMemory = (): void => memories.forEach((each) => each.clear());

interface Memory {
  clear: () => void;
}
const memories: Memory[] = [];

function registered<Each extends Memory>(memory: Each): Each {
  memories.push(memory);
  return memory;
}
