import { okPage, ok, mapOk } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { keyedHash, seal, unseal } from '../../../shared/runtime/seal.ts';
import { importRoutes } from '../contract/import.ts';
import { createImport, getImport, listImports, mayUpload, startImport } from '../service/imports/imports.ts';

export const handler = serve(
  importRoutes,
  {
    createImport: async ({ caller, body, once }) =>
      mapOk(await createImport(caller.companyId, body, once), (job) =>
        ok(job, 'Upload the file to upload.url with PUT, then start the import.'),
      ),

    listImports: async (request) =>
      mapOk(await listImports(request.caller.companyId, request.query, mayUpload(request.caller)), (page) =>
        okPage(request, page, 'Imports, newest first.'),
      ),

    getImport: async ({ caller, params }) =>
      mapOk(await getImport(caller.companyId, params.id, mayUpload(caller)), (job) => ok(job, 'The import with its progress.')),

    startImport: async ({ caller, params }) =>
      mapOk(await startImport(caller.companyId, params.id), (job) => ok(job, 'The import was started.')),
  },
  { seal, unseal, keyedHash },
);
