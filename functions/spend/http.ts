import { answer, mapOk, ok, withMessage } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { billRoutes } from './contract/bill.ts';
import { rateRoutes } from './contract/rates.ts';
import { spendRoutes } from './contract/spend.ts';
import { getBill } from './service/bill.ts';
import { getRate, listRates, setRates } from './service/rates.ts';
import { exportSpend, getSpend } from './service/spend.ts';

export const handler = serve(
  { ...rateRoutes, ...spendRoutes, ...billRoutes },
  {
    listRates: async ({ caller, query }) => ok(await listRates(caller.companyId, query), 'The rate cards in force and coming.'),
    getRate: async ({ caller, query }) => mapOk(await getRate(caller.companyId, query), withMessage('The price of a message.')),
    setRates: async ({ caller, body }) => mapOk(await setRates(caller.companyId, body), withMessage('The rates of the company.')),

    getSpend: async ({ caller, query }) => mapOk(await getSpend(caller.companyId, query), withMessage('What messages cost.')),
    getBill: async ({ caller }) => ok(await getBill(caller.companyId), "The provider's bill beside ours."),
    exportSpend: async ({ caller, query }) =>
      mapOk(await exportSpend(caller.companyId, query), ({ csv, name }) =>
        answer(200, csv, { 'content-disposition': `attachment; filename="${name}"` }),
      ),
  },
);
