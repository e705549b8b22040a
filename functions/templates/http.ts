import { isProblem, type Problem } from '../../shared/contract/problems.ts';
import { okPage, ok, okDeleted } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { now } from '../../shared/runtime/clock.ts';
import { allTemplateRoutes } from './contract/routes.ts';
import type { StoredTemplate } from './contract/stored.ts';
import { templateView } from './domain/view.ts';
import { createTemplate } from './service/create-template.ts';
import { type SyncCounts, syncTemplate } from './service/sync-account.ts';
import { syncTemplates } from './service/sync-templates.ts';
import { getReach } from './service/reach.ts';
import { deleteTemplate } from './service/delete-template.ts';
import { getTemplate, listTemplates } from './service/templates.ts';
import { getTemplateAnalytics } from './service/template-analytics.ts';
import { listTemplateLibrary } from './service/template-library.ts';
import { unpauseTemplate } from './service/unpause-template.ts';
import { updateTemplate } from './service/update-template.ts';

export const handler = serve(allTemplateRoutes, {
  listTemplates: async (request) =>
    mapOk(await listTemplates(request.caller.companyId, request.query), (page) =>
      okPage(request, { ...page, items: page.items.map(viewNow) }, 'OK'),
    ),

  createTemplate: async ({ caller, body, operationId }) =>
    mapOk(await createTemplate(caller.companyId, body, operationId), (template) =>
      ok(viewNow(template), `The template was submitted; it is ${template.status}.`),
    ),

  listTemplateLibrary: async ({ caller, query }) => mapOk(await listTemplateLibrary(caller.companyId, query), (found) => ok(found, 'OK')),

  getTemplate: async ({ caller, params }) =>
    mapOk(await getTemplate(caller.companyId, params.id), (template) => ok(viewNow(template), 'OK')),

  getTemplateAnalytics: async ({ caller, params, query }) =>
    mapOk(await getTemplateAnalytics(caller.companyId, params.id, query), (counted) => ok(counted, 'OK')),

  getReach: async ({ caller, query }) => mapOk(await getReach(caller.companyId, query), (reach) => ok(reach, 'What the provider expects.')),

  updateTemplate: async ({ caller, params, body, operationId }) =>
    mapOk(await updateTemplate(caller.companyId, params.id, body, operationId), (template) =>
      ok(viewNow(template), `The template was changed; it is ${template.status}.`),
    ),

  unpauseTemplate: async ({ caller, params }) =>
    mapOk(await unpauseTemplate(caller.companyId, params.id), (template) => ok(viewNow(template), 'The template can be sent again.')),

  syncTemplates: async ({ caller }) => mapOk(await syncTemplates(caller.companyId), syncResponse),

  syncTemplate: async ({ caller, params }) =>
    mapOk(await syncTemplate(caller.companyId, params.id), (template) => ok(viewNow(template), 'The template was synced.')),

  deleteTemplate: async ({ caller, params }) =>
    mapOk(await deleteTemplate(caller.companyId, params.id), ({ id }) => okDeleted(id, 'The template was deleted.')),
});

const viewNow = (template: StoredTemplate) => templateView(template, now());

function syncResponse({ synced, created, updated, removed: gone, isWhole }: SyncCounts) {
  const counts = { synced_count: synced, created_count: created, updated_count: updated, removed_count: gone };
  return isWhole
    ? ok(counts, 'The templates were synced.')
    : { ...ok(counts, 'The account is large: the remaining templates are synced in the background.'), status: 202 as const };
}

/** The response to a value; a Problem is its own response. */
function mapOk<T, A>(outcome: T, answer: (value: Exclude<T, Problem>) => A): A | Extract<T, Problem> {
  return isProblem(outcome) ? (outcome as Extract<T, Problem>) : answer(outcome as Exclude<T, Problem>);
}
