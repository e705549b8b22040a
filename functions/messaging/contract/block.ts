import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { pathId } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { contactRecord } from '../../contacts/contract/contact.ts';

const caller = { kind: 'token', scope: 'contacts:write', role: 'member' } as const;
const params = z.object({ id: pathId.meta({ description: 'The id of the contact.' }) });
const path = '/api/v1/contacts/{id}/block';

export const blockRoutes = {
  blockContact: route({
    method: 'POST',
    path,
    summary: 'Block a contact',
    description:
      'Blocks the contact at the provider, on each of your numbers that it wrote to in the last 24 hours: it can write to none of them any more. From then on nothing is sent to it from any number, whatever the kind of message. Repeating it changes nothing; after a 503 repeat it, to learn whether it is done.',
    caller,
    params,
    answers: { 200: success(contactRecord) },
    errors: ['not_found', 'contact_not_recent', 'number_missing', 'provider_rejected', 'conflict', 'temporarily_unavailable'],
  }),
  unblockContact: route({
    method: 'DELETE',
    path,
    summary: 'Unblock a contact',
    description:
      'Takes the block back at the provider, wherever the contact is blocked, and sends to it again. Repeating it changes nothing.',
    caller,
    params,
    answers: { 200: success(contactRecord) },
    errors: ['not_found', 'provider_rejected', 'conflict', 'temporarily_unavailable'],
  }),
};
