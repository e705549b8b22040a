/** Which of `count` labels along `width` pixels are shown, each `space` pixels wide: the last one, and back from it. */
export const shownLabels = (count: number, width: number, space: number): ReadonlySet<number> => {
  const every = Math.max(1, Math.ceil((count * space) / Math.max(1, width)));
  return new Set(Array.from({ length: count }, (_, index) => index).filter((index) => (count - 1 - index) % every === 0));
};

/** The parts of a whole, 0 to 1. Of nothing, nothing. */
export const sharesOf = (values: readonly number[]): number[] => {
  const sum = values.reduce((total, each) => total + each, 0);
  return values.map((each) => (sum === 0 ? 0 : each / sum));
};
