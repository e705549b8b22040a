import { context } from '../../shared/contract/context.ts';
import { reads, usesTable } from '../../shared/contract/resource.ts';
import { sealingKey } from '../../shared/contract/secret.ts';
import { ceilingRoutes } from './contract/ceilings.ts';
import { tokenCeilingRoutes } from './contract/token-ceilings.ts';

/**
 * Ceilings: the most that a company may spend, as its administrators set it. The account of what is left is spend's, the allowances of numbers
 * are messaging's: a ceiling that is lowered calls them in. The ceilings of tokens are spend's too. See docs/decisions/spend-ceilings.md.
 */
export const ceilingsContext = context({
  name: 'ceilings',
  purpose: 'The spend ceilings of a company and of its tokens, and what is left of them',
  functions: [
    {
      name: 'ceilings-http',
      entry: 'functions/ceilings/http.ts',
      trigger: 'http',
      routes: { ...ceilingRoutes, ...tokenCeilingRoutes },
      apiPaths: ['/api/v1/spend/ceilings/{rest+}'],
      uses: [usesTable('GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem'), reads(sealingKey)],
    },
  ],
});
