import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { listed, ok, removed } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { templateRoutes } from '../contract/template.ts';
import { templateView } from '../domain/template-view.ts';
import { createTemplate } from '../service/template-create.ts';
import { type SyncCounts, syncTemplate } from '../service/template-sync.ts';
import { syncOrBegin } from '../service/template-sync-later.ts';
import { deleteTemplate, listTemplates, readTemplate } from '../service/templates.ts';

export const handler = serve(templateRoutes, {
  listTemplates: async (request) =>
    unlessRefused(await listTemplates(request.caller.companyId, request.query), (page) =>
      listed(request, { ...page, items: page.items.map(templateView) }, 'Templates, by name.'),
    ),

  createTemplate: async ({ caller, body, operationId }) =>
    unlessRefused(await createTemplate(caller.companyId, body, operationId), (template) =>
      ok(templateView(template), `The template was submitted; it is ${template.status}.`),
    ),

  getTemplate: async ({ caller, params }) =>
    unlessRefused(await readTemplate(caller.companyId, params.id), (template) => ok(templateView(template), 'The template.')),

  syncTemplates: async ({ caller }) => unlessRefused(await syncOrBegin(caller.companyId), syncAnswer),

  syncTemplate: async ({ caller, params }) =>
    unlessRefused(await syncTemplate(caller.companyId, params.id), (template) => ok(templateView(template), 'The template was synced.')),

  deleteTemplate: async ({ caller, params }) =>
    unlessRefused(await deleteTemplate(caller.companyId, params.id), ({ id }) => removed(id, 'The template was deleted.')),
});

function syncAnswer({ synced, created, updated, removed: gone, isWhole }: SyncCounts) {
  const counts = { synced_count: synced, created_count: created, updated_count: updated, removed_count: gone };
  return isWhole
    ? ok(counts, 'The templates were synced.')
    : { ...ok(counts, 'The account is large: what is left is being synced.'), status: 202 as const };
}

/** The answer to a value; a refusal is its own answer. */
function unlessRefused<T, A>(outcome: T, answer: (value: Exclude<T, Problem>) => A): A | Extract<T, Problem> {
  return isProblem(outcome) ? (outcome as Extract<T, Problem>) : answer(outcome as Exclude<T, Problem>);
}
