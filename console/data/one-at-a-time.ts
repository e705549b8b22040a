export type InTurn = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/** Does one piece of work of a name after the other: in all tabs where the browser has locks, which it has on secure pages, else in this one. */
export const oneAtATime = (): InTurn => {
  if ('locks' in navigator) return (name, work) => navigator.locks.request(name, work);
  const last = new Map<string, Promise<unknown>>();
  return (name, work) => {
    const next = (last.get(name) ?? Promise.resolve()).then(work);
    const quiet = next.catch(() => undefined);
    last.set(name, quiet);
    void quiet.then(() => last.get(name) === quiet && last.delete(name));
    return next;
  };
};
