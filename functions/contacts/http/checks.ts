import { answer, ok, mapOk } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { importPreviewRoutes } from '../contract/import.ts';
import { phoneCheckRoutes } from '../contract/phone-check.ts';
import { preflightRoutes } from '../contract/preflight.ts';
import { checkPhone } from '../service/check-phone.ts';
import { previewImport } from '../service/imports/preview-import.ts';
import { checkGroupPhones, preflightGroup } from '../service/preflight.ts';

export const handler = serve(
  { ...phoneCheckRoutes, ...preflightRoutes, ...importPreviewRoutes },
  {
    checkPhone: async ({ caller, body }) =>
      mapOk(await checkPhone(caller.companyId, body), (check) =>
        check.check_status === 'pending'
          ? answer(202, { status: 'success' as const, message: 'Not known yet. Send a message first, then check again.', data: check })
          : ok(check, 'The phone was checked.'),
      ),

    preflightGroup: async ({ caller, params, query }) =>
      mapOk(await preflightGroup(caller.companyId, params.id, query.cursor), (counts) => ok(counts, 'Nothing was sent.')),

    previewImport: async ({ caller, params }) =>
      mapOk(await previewImport(caller.companyId, params.id), (preview) => ok(preview, 'What the first rows would become.')),

    checkGroupPhones: async ({ caller, params, query }) =>
      mapOk(await checkGroupPhones(caller.companyId, params.id, query.cursor), (counts) => ok(counts, 'Nothing was sent.')),
  },
);
