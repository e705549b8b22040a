/** All between two rows of a list, both included; the second alone where the first is not in it. */
export const between = (all: readonly number[], from: number | undefined, to: number): number[] => {
  const [a, b] = [from === undefined ? -1 : all.indexOf(from), all.indexOf(to)];
  return a === -1 || b === -1 ? [to] : all.slice(Math.min(a, b), Math.max(a, b) + 1);
};
