import { microsText } from '../contract/micros-text.ts';
import { microsOf } from '../domain/money.ts';

/** Micro-units of an account as decimal text. */
export const moneyText = microsText;

/** The micro-units of a decimal text that a schema has checked. */
export const microsOfText = (text: string): number => Number(microsOf(text) ?? 0n);
