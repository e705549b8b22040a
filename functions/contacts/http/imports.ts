import { okPage, ok, mapOk } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { importRoutes } from '../contract/import.ts';
import { createImport, getImport, listImports, startImport } from '../service/imports/imports.ts';

export const handler = serve(importRoutes, {
  createImport: async ({ caller, body, once }) =>
    ok(await createImport(caller.companyId, body, once), 'Upload the file to upload.url with PUT, then start the import.'),

  listImports: async (request) =>
    mapOk(await listImports(request.caller.companyId, request.query), (page) => okPage(request, page, 'Imports, newest first.')),

  getImport: async ({ caller, params }) =>
    mapOk(await getImport(caller.companyId, params.id), (job) => ok(job, 'The import with its progress.')),

  startImport: async ({ caller, params }) =>
    mapOk(await startImport(caller.companyId, params.id), (job) => ok(job, 'The import was started.')),
});
