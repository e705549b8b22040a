/**
 * How much of something a test does: little in `npm test`, all of it with RUN_SIZE=full, as `npm run test:all` asks. SEEDS gives the number
 * of runs by hand.
 */
export const runSize = (quick: number, full: number): number => {
  const { SEEDS: seeds, RUN_SIZE: size } = process.env;
  return seeds === undefined ? (size === 'full' ? full : quick) : Number(seeds);
};

export const isFullSize = (): boolean => process.env['RUN_SIZE'] === 'full';
