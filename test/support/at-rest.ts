import { expect } from 'vitest';

/** A number once it changes no more: where a page scrolls to in steps, or how many calls arrive that were on their way. */
export const atRest = async (read: () => number | Promise<number>): Promise<number> => {
  let last = Number.NaN;
  const isSame = async (): Promise<boolean> => {
    const before = last;
    last = await read();
    return last === before;
  };
  await expect.poll(isSame, { interval: 200 }).toBe(true);
  return last;
};
