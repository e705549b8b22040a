import * as fc from 'fast-check';
import { type Charge, type ChargeCategory, type ChargeOrigin, chargeCells, codeCell } from '../../functions/usage/contract/charges.ts';
import type { Cells } from '../../shared/events/recount.ts';
import { drawnCountries } from './cards.ts';

/** Cells of a day as messages and codes leave them. */

const categories = [
  'marketing',
  'marketing_lite',
  'utility',
  'authentication',
  'authentication_international',
  'service',
  'other',
  'unknown',
];
const drawnCharge: fc.Arbitrary<Charge> = fc.record({
  category: fc.constantFrom(...(categories as ChargeCategory[])),
  type: fc.constantFrom('regular' as const, 'regular' as const, 'free' as const, 'unknown' as const),
  country: fc.constantFrom<string | undefined>(...drawnCountries, undefined),
});
const postedCharge: fc.Arbitrary<Charge> = fc.record({
  category: fc.constantFrom<ChargeCategory>('marketing', 'marketing_lite'),
  type: fc.constant('posted' as const),
  country: fc.constantFrom<string | undefined>(...drawnCountries),
  posted: fc.record({ micros: fc.integer({ min: 0, max: 200_000 }), currency: fc.constantFrom('EUR', 'USD', 'GBP') }),
});
const drawnOrigin: fc.Arbitrary<ChargeOrigin> = fc.oneof(
  fc.constant(undefined),
  fc.integer({ min: 1, max: 4 }).map((campaignId) => ({ campaignId })),
  fc.integer({ min: 1, max: 4 }).map((tokenId) => ({ tokenId })),
);

/** Of one day; every count is that of some messages. */
export const drawnCells: fc.Arbitrary<Cells> = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.oneof({ weight: 6, arbitrary: drawnCharge }, { weight: 1, arbitrary: postedCharge }),
        fc.integer({ min: 0, max: 3 }),
        drawnOrigin,
        fc.integer({ min: 1, max: 3_000 }),
      ),
      { maxLength: 25 },
    ),
    fc.array(
      fc.tuple(
        fc.constantFrom('0a0b0c0d', '0e0f0a0b'),
        fc.constantFrom<string | undefined>(...drawnCountries, undefined),
        fc.integer({ min: 1, max: 400 }),
      ),
      {
        maxLength: 4,
      },
    ),
  )
  .map(([messages, codes]) => {
    const cells: Record<string, number> = {};
    for (const [charge, numberId, origin, times] of messages)
      for (const [cell, count] of Object.entries(chargeCells(charge, numberId, origin))) cells[cell] = (cells[cell] ?? 0) + times * count;
    for (const [profile, country, count] of codes) cells[codeCell(profile, country)] = (cells[codeCell(profile, country)] ?? 0) + count;
    return cells;
  });
