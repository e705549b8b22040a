/**
 * How much of something a test does: little in `npm test`, all of it with RUN_SIZE=full, as `npm run test:all` runs it. SEEDS gives the number
 * of runs by hand.
 */
export const runSize = (quick: number, full: number): number => {
  const { SEEDS: seeds, RUN_SIZE: size } = process.env;
  return seeds === undefined ? (size === 'full' ? full : quick) : Number(seeds);
};

/** The first seed of a fault run: FIRST_SEED splits a long run into several. */
export const firstSeed = Number(process.env['FIRST_SEED'] ?? 1);

export const isFullSize = (): boolean => process.env['RUN_SIZE'] === 'full';
