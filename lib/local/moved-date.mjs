/**
 * Replaces the global Date by one that runs `offset()` milliseconds ahead. Plain JavaScript, because every function environment
 * loads it too and a worker thread would pay 20 ms for stripping types.
 */
export const replaceDate = (offset) => {
  const Real = globalThis.Date;
  const now = () => Real.now() + offset();
  function Date(...parts) {
    if (!new.target) return new Real(now()).toString();
    return Reflect.construct(Real, parts.length > 0 ? parts : [now()], new.target === Date ? Real : new.target);
  }
  // one shared prototype: dates made before, by structured clones and by native code stay instances of Date
  Date.prototype = Real.prototype;
  Object.defineProperty(Real.prototype, 'constructor', { value: Date, writable: true, configurable: true });
  Object.defineProperty(Date, 'length', { value: 7 });
  Object.assign(Date, { now, parse: Real.parse, UTC: Real.UTC });
  globalThis.Date = Date;
  // for what others check by their own clocks (shared/runtime/clock.ts)
  Object.defineProperty(globalThis, Symbol.for('switchboard.real-now'), { value: () => Real.now(), configurable: true });
  return { realNow: () => Real.now() };
};
