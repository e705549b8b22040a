import { answer, mapOk } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { receiverRoutes } from '../contract/receivers.ts';
import { receiveCheckout, receiveLogistics, receiveStoreplatform, receiveTest, receiveWebshop } from '../service/receivers.ts';

export const handler = serve(receiverRoutes, {
  receiveStoreplatform: async ({ caller, rawBody, headers, countUnsigned }) =>
    mapOk(await receiveStoreplatform({ caller, raw: rawBody, headers, countUnsigned }), (body) => answer(200, body)),
  receiveWebshop: async ({ caller, rawBody, headers, countUnsigned }) =>
    mapOk(await receiveWebshop({ caller, raw: rawBody, headers, countUnsigned }), (body) => answer(200, body)),
  receiveLogistics: async ({ caller, rawBody, headers, countUnsigned }) =>
    mapOk(await receiveLogistics({ caller, raw: rawBody, headers, countUnsigned }), (body) => answer(200, body)),
  receiveCheckout: async ({ caller, rawBody, headers, countUnsigned }) =>
    mapOk(await receiveCheckout({ caller, raw: rawBody, headers, countUnsigned }), (body) => answer(200, body)),
  receiveTest: async ({ caller, rawBody, headers, countUnsigned }) =>
    mapOk(await receiveTest({ caller, raw: rawBody, headers, countUnsigned }), (body) => answer(200, body)),
});
