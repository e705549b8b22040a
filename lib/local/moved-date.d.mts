/** Replaces the global Date by one that runs `offset()` milliseconds ahead; answers with the reader of the real time. */
export declare const replaceDate: (offset: () => number) => { realNow: () => number };
