import { answerSeal } from '../../../shared/http/answer-seal.ts';
import { okPage, ok, mapOk } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { importRoutes } from '../contract/import.ts';
import { jobRoutes } from '../contract/job.ts';
import { cancelImport, createImport, getImport, listImports, mayUpload, startImport } from '../service/imports/imports.ts';
import { cancelContactJob, createContactJob, getContactJob, listContactJobs } from '../service/jobs/jobs.ts';

export const handler = serve(
  { ...importRoutes, ...jobRoutes },
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

    cancelImport: async ({ caller, params }) =>
      mapOk(await cancelImport(caller.companyId, params.id), (job) => ok(job, `The import is ${job.status}.`)),

    startImport: async ({ caller, params }) =>
      mapOk(await startImport(caller.companyId, params.id), (job) => ok(job, 'The import was started.')),

    createContactJob: async ({ caller, body, once }) =>
      mapOk(await createContactJob(caller.companyId, body, once), (job) => ok(job, 'The job was queued.')),

    listContactJobs: async (request) =>
      mapOk(await listContactJobs(request.caller.companyId, request.query), (page) => okPage(request, page, 'Jobs, newest first.')),

    getContactJob: async ({ caller, params }) =>
      mapOk(await getContactJob(caller.companyId, params.id), (job) => ok(job, 'The job with its progress.')),

    cancelContactJob: async ({ caller, params }) =>
      mapOk(await cancelContactJob(caller.companyId, params.id), (job) => ok(job, `The job is ${job.status}.`)),
  },
  { seal: answerSeal },
);
