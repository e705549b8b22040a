/** Round values from 0 to at least `max`, about `count` of them: 0, 20, 40, 60. */
export const ticksTo = (max: number, count = 4): number[] => {
  if (max <= 0) return [0, 1];
  const raw = max / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(1, ([1, 2, 2.5, 5, 10].find((each) => each * power >= raw) ?? 10) * power);
  return Array.from({ length: Math.ceil(max / step) + 1 }, (_, index) => index * step);
};

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
