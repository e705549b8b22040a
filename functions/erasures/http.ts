import { answer, mapOk, ok } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { erasureRoutes } from './contract/erasure.ts';
import { eraseContact, getErasure } from './service/erasures.ts';

export const handler = serve(erasureRoutes, {
  eraseContact: async ({ caller, params }) =>
    mapOk(await eraseContact(caller.companyId, params.id, { cause: 'request', userId: caller.userId }), (erasure) =>
      answer(202, ok(erasure, 'The contact is being erased.').body),
    ),

  getErasure: async ({ caller, params }) =>
    mapOk(await getErasure(caller.companyId, params.id), (erasure) => ok(erasure, 'The erasure of the contact.')),
});
