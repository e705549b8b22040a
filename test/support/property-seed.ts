import * as fc from 'fast-check';

/**
 * Properties draw the same cases at every run, so that a change lands or not by what it changes; `SEED=7 npm test` draws others. A counterexample that was found
 * so is kept as a test of its own.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env['SEED'] ?? 20_261_128) });
