import { listed, ok, unlessRefused } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { importRoutes } from '../contract/import.ts';
import { createImport, getImport, listImports, startImport } from '../service/imports.ts';

export const handler = serve(importRoutes, {
  createImport: async ({ caller, body, once }) =>
    ok(await createImport(caller.companyId, body, once), 'Put the file to upload.url, then start.'),

  listImports: async (request) =>
    unlessRefused(await listImports(request.caller.companyId, request.query), (page) => listed(request, page, 'Imports, newest first.')),

  getImport: async ({ caller, params }) =>
    unlessRefused(await getImport(caller.companyId, params.id), (job) => ok(job, 'The import and how far it is.')),

  startImport: async ({ caller, params }) =>
    unlessRefused(await startImport(caller.companyId, params.id), (job) => ok(job, 'The import was started.')),
});
