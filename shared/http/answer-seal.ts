import { keyedHashes, seal, unseal } from '../runtime/seal.ts';
import type { Seal } from './idempotency.ts';

/** Seals the stored answers of secret routes. In a module of its own, so that other functions do not contain it. */
export const answerSeal: Seal = { seal, unseal, keyedHashes };
