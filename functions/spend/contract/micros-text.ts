import { decimalText } from '../domain/money.ts';

/** Micro-units that an item holds, as decimal text. */
export const microsText = (micros: number): string => decimalText(BigInt(micros));
