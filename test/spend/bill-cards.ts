import type { CardMarket } from '../../functions/spend/contract/card.ts';
import { marketOf } from './cards.ts';

/** Service messages of a number that cost nothing, so few that a test goes beyond them. */
export const expectedFreeMessages = 5;

/** Prices with tiers that a few messages cross, a country without a price, and a market for all others. */
export const createBillingMarkets = (): CardMarket[] => [
  marketOf('Germany', ['DE'], {
    marketing: '0.113101',
    utility: [
      { from: 0, price: '0.045603' },
      { from: 3, price: '0.033333' },
      { from: 6, price: '0.012345' },
    ],
    service: '0.0456',
  }),
  marketOf('France', ['FR'], { marketing: '0.081207', utility: '0.03', service: null }),
  marketOf('India', ['IN'], { marketing: '0.009999', utility: '0.001', service: '0.001' }),
  marketOf('North America', ['US', 'CA'], {
    marketing: '0.0207',
    utility: [
      { from: 0, price: '0.004' },
      { from: 2, price: '0.003999' },
    ],
    service: '0.004',
  }),
  marketOf('Rest of Latin America', ['DO', 'PR'], { marketing: '0.07', utility: '0.01', service: '0.01' }),
  marketOf('Other', [], { marketing: '0.05', utility: '0.020001', service: '0.02' }),
];
