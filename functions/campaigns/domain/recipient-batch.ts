/** Recipients in a block: few enough for an item of 1 KB, so that each write of it is one unit. */
export const recipientsPerBatch = 100;

/** Chains of blocks side by side: each can send 50 a second with room for slow answers. */
export const chainCountFor = (ratePerSecond: number, blocks: number): number =>
  Math.max(1, Math.min(20, Math.ceil(ratePerSecond / 50), Math.max(1, blocks)));

/** Ids in blocks, in order. */
export const splitIntoBatches = (ids: readonly number[]): number[][] =>
  Array.from({ length: Math.ceil(ids.length / recipientsPerBatch) }, (_, index) =>
    ids.slice(index * recipientsPerBatch, (index + 1) * recipientsPerBatch),
  );

/** Blocks of single recipients have message ids for numbers: far beyond any number of constructed blocks. */
export const firstSingleRecipientBatch = 1e12;
