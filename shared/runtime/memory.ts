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
