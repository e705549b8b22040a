import { mapOk, ok } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { blockRoutes } from '../contract/block.ts';
import { blockContact, unblockContact } from '../service/block-contact.ts';

export const handler = serve(blockRoutes, {
  blockContact: async ({ caller, params }) =>
    mapOk(await blockContact(caller.companyId, params.id), (contact) => ok(contact, 'The contact is blocked.')),
  unblockContact: async ({ caller, params }) =>
    mapOk(await unblockContact(caller.companyId, params.id), (contact) => ok(contact, 'The contact is not blocked.')),
});
