import type { Micros } from './money.ts';

/** A part of what the provider charged. */
export interface BillPoint {
  isCharged: boolean;
  messages: number;
  /** Undefined: the provider shows no amounts to this account. */
  micros: Micros | undefined;
}

/** What a provider's bill has in sum. */
export interface BillSum {
  /** Undefined: it has no amounts. */
  micros: Micros | undefined;
  charged: number;
}

export const sumOfBill = (points: readonly BillPoint[]): BillSum => {
  const charged = points.filter(({ isCharged }) => isCharged);
  const amounts = charged.flatMap(({ micros }) => (micros === undefined ? [] : [micros]));
  return {
    // one part without an amount: no sum of all
    micros: amounts.length === charged.length ? amounts.reduce((sum, micros) => sum + micros, 0n) : undefined,
    charged: charged.reduce((sum, { messages }) => sum + messages, 0),
  };
};

/** By how much a bill is above our figure, in hundredths of a percent of ours, rounded; below: negative. Undefined: ours is 0 and the bill is not. */
export const differenceOf = (ours: Micros, bill: Micros): number | undefined => {
  if (ours === bill) return 0;
  if (ours === 0n) return undefined;
  return Math.round((Number(bill - ours) / Number(ours)) * 10_000);
};

/** Messages that a bill must have before a difference says anything. */
const fewMessages = 10;
/** Hundredths of a percent. */
const mostDifference = 200;

/** Whether a bill is another one than ours: by more than two per cent, over more than a few messages. */
export const isOtherBill = (difference: number | undefined, charged: number): boolean =>
  charged > fewMessages && (difference === undefined || Math.abs(difference) > mostDifference);

/** Hundredths of a percent as decimal text: `1.02`. */
export const percentText = (hundredths: number): string => String(hundredths / 100);
