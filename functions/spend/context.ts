import { context } from '../../shared/contract/context.ts';
import { reads, usesTable } from '../../shared/contract/resource.ts';
import { sealingKey } from '../../shared/contract/secret.ts';
import { billDiffers, spendAlert, spendLimitReached } from './contract/event.ts';
import { billRoutes } from './contract/bill.ts';
import { rateRoutes } from './contract/rates.ts';
import { spendRoutes } from './contract/spend.ts';
import { projections } from './projections.ts';
import { reactions } from './reactions.ts';
import { recounts } from './recounts.ts';

/**
 * Spend: what messages cost. Prices are rate cards, dated data that the operator imports (bin/admin/rates.ts) or that a company sets for its own
 * contract; none is in the code. What has no price is `unknown`, never 0. See docs/decisions/spend.md.
 */
export const spendContext = context({
  name: 'spend',
  purpose: 'What messages cost: rate cards, look-up of prices, estimates, what was spent, and what is left of ceilings',
  events: [spendAlert, spendLimitReached, billDiffers],
  reactions,
  projections,
  recounts,
  functions: [
    {
      name: 'spend-http',
      entry: 'functions/spend/http.ts',
      trigger: 'http',
      routes: { ...rateRoutes, ...spendRoutes, ...billRoutes },
      uses: [usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem'), reads(sealingKey)],
      settings: { PROVIDER_BASE_URL: 'https://graph.facebook.com' },
    },
  ],
});
