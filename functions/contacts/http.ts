import { isProblem, type Problem } from '../../shared/contract/problems.ts';
import { answer, listed, ok, removed } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { contactRoutes } from './contract/contact.ts';
import { phoneCheckRoutes } from './contract/phone-check.ts';
import { deleteContact, getContact, listContacts, replaceContact, upsertContact } from './service.ts';
import { checkPhone } from './service/phone-check.ts';

const routes = { ...contactRoutes, ...phoneCheckRoutes };

export const handler = serve(routes, {
  listContacts: async (request) =>
    unlessRefused(await listContacts(request.caller.companyId, request.query), (page) => listed(request, page, 'Contacts, newest first.')),

  createContact: async ({ caller, body }) =>
    unlessRefused(await upsertContact(caller.companyId, body), (contact) =>
      ok(contact, contact.created ? 'The contact was created.' : 'The contact was updated.'),
    ),

  getContact: async ({ caller, params }) =>
    unlessRefused(await getContact(caller.companyId, params.id), (contact) => ok(contact, 'The contact.')),

  replaceContact: async ({ caller, params, body }) =>
    unlessRefused(await replaceContact(caller.companyId, params.id, body), (contact) => ok(contact, 'The contact was replaced.')),

  deleteContact: async ({ caller, params }) =>
    unlessRefused(await deleteContact(caller.companyId, params.id), ({ id }) => removed(id, 'The contact was deleted.')),

  checkPhone: async ({ caller, body }) =>
    unlessRefused(await checkPhone(caller.companyId, body), (check) =>
      check.check_status === 'pending'
        ? answer(202, { status: 'success' as const, message: 'A message will tell; ask again later.', data: check })
        : ok(check, 'What is known of the phone.'),
    ),
});

/** The answer to a value; a refusal is its own answer. */
function unlessRefused<T, A>(outcome: T, answer: (value: Exclude<T, Problem>) => A): A | Extract<T, Problem> {
  return isProblem(outcome) ? (outcome as Extract<T, Problem>) : answer(outcome as Exclude<T, Problem>);
}
