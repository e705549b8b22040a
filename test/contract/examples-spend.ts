import type { CeilingsBody } from '../../functions/ceilings/contract/ceilings.ts';
import { setCeilings } from '../../functions/ceilings/service/ceilings.ts';
import { setTokenCeiling } from '../../functions/ceilings/service/token-ceilings.ts';
import { issueToken } from '../../functions/account/service/tokens.ts';
import { setRates } from '../../functions/spend/service/rates.ts';
import type { CardInput } from '../../functions/spend/contract/card.ts';
import { unwrap } from '../support/company.ts';
import type { Example } from './examples.ts';
import type { ContractFixture } from './fixture.ts';

let cards = 0;

/** Other prices each time: a card with the same prices is not stored again. */
const newCard = (): CardInput => ({
  currency: 'EUR',
  effective_from: '2026-10-01',
  source: `Contract ${++cards}`,
  markets: [
    {
      market: 'Germany',
      countries: ['DE'],
      marketing: `0.11${String(cards % 100).padStart(2, '0')}`,
      utility: [
        { from: 0, price: '0.0456' },
        { from: 50_001, price: '0.0433' },
      ],
      authentication: '0.0456',
      authentication_international: null,
      service: '0.0456',
    },
    {
      market: 'Other',
      countries: [],
      marketing: '0.05',
      utility: '0.0064',
      authentication: '0.0064',
      authentication_international: null,
      service: `0.00${String(cards).padStart(4, '0')}`,
    },
  ],
});

/** Others each time, and more than what the other examples send. */
const newCeilings = () =>
  ({
    currency: 'EUR',
    day: String(200_000 + ++cards),
    month: String(3_000_000 + cards),
    code_reserve_percent: cards % 50,
    stops: ['marketing', 'utility'],
    unknown_price: 'allow',
    on_reached: 'stop',
  }) satisfies CeilingsBody;

/** One token of each company, whose ceiling is another each time. */
const limitedTokens = new Map<number, Promise<number>>();
const limitedToken = ({ company }: ContractFixture): Promise<number> => {
  const input = { user_id: company.users.owner, name: 'agent', scopes: ['messages:send' as const] };
  const made = limitedTokens.get(company.id) ?? issueToken(company.id, input).then((issued) => unwrap(issued).token.id);
  limitedTokens.set(company.id, made);
  return made;
};
const newTokenCeiling = () => ({ messages: 500 + ++cards, spend: { amount: String(20_000 + cards), currency: 'EUR' } });
const tokenWithCeiling = async (fixture: ContractFixture): Promise<number> => {
  const id = await limitedToken(fixture);
  unwrap(await setTokenCeiling(fixture.company.id, id, newTokenCeiling()));
  return id;
};

const withCard = async ({ company }: ContractFixture): Promise<void> => void unwrap(await setRates(company.id, newCard()));

export const spendExamples: Readonly<Record<string, (fixture: ContractFixture) => Promise<Example>>> = {
  listRates: async (fixture) => {
    await withCard(fixture);
    return { query: { currency: 'EUR', at: '2026-11-21' } };
  },
  getRate: async (fixture) => {
    await withCard(fixture);
    return { query: { phone: '+4915123456789', category: 'utility', currency: 'EUR', at: '2026-11-21' } };
  },
  getReach: () => Promise.resolve({ query: { country: 'DE' } }),
  getSpend: () => Promise.resolve({ query: { from: '2026-11-01', to: '2026-11-21', by: 'country' } }),
  getBill: () => Promise.resolve({}),
  exportSpend: () => Promise.resolve({ query: { from: '2026-11-01', to: '2026-11-21' } }),
  setRates: () => Promise.resolve({ body: { ...newCard() } }),
  getCeilings: async (fixture) => {
    unwrap(await setCeilings(fixture.company.id, newCeilings()));
    return {};
  },
  setCeilings: () => Promise.resolve({ body: { ...newCeilings() } }),
  listTokenCeilings: async (fixture) => {
    await tokenWithCeiling(fixture);
    return {};
  },
  setTokenCeiling: async (fixture) => ({ params: { id: await limitedToken(fixture) }, body: newTokenCeiling() }),
  deleteTokenCeiling: async (fixture) => ({ params: { id: await tokenWithCeiling(fixture) } }),
};
