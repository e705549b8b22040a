import { answerSeal } from '../../../shared/http/answer-seal.ts';
import { orNotFound, ok, mapOk, withMessage } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import type { CursorPage } from '../../../shared/table/page.ts';
import { problem } from '../../../shared/contract/problems.ts';
import { adminRoutes } from '../contract/admin.ts';
import { deleteVerificationBlock, listVerificationBlocks } from '../service/admin/blocks.ts';
import { createVerificationKey, deactivateVerificationKey, listVerificationKeys, rotateVerificationKey } from '../service/admin/keys.ts';
import {
  createVerificationProfile,
  getVerificationProfile,
  listVerificationProfiles,
  revokeTrust,
  updateVerificationProfile,
} from '../service/admin/profiles.ts';
import { getVerificationReport, listVerificationRequests } from '../service/admin/requests.ts';
import {
  createVerificationTemplate,
  deleteVerificationTemplate,
  listVerificationTemplates,
  updateVerificationTemplate,
} from '../service/admin/templates.ts';
import { createVerificationWhitelist, deleteVerificationWhitelist, listVerificationWhitelists } from '../service/admin/whitelists.ts';

const withCursor =
  (message: string) =>
  <T>({ items, nextCursor }: CursorPage<T>) => ({
    status: 200 as const,
    body: { ...ok(items, message).body, meta: { next_cursor: nextCursor ?? null } },
  });

const deleted = (id: string, isDeleted: boolean) => (isDeleted ? ok({ id, deleted: true as const }, 'Deleted.') : problem('not_found'));

const secretOnce = withMessage('The pair of keys. The secret key is not shown again.');

export const handler = serve(
  adminRoutes,
  {
    listVerificationProfiles: async ({ caller }) => mapOk(await listVerificationProfiles(caller.companyId), withMessage('The profiles.')),
    createVerificationProfile: async ({ caller, body, once }) =>
      mapOk(await createVerificationProfile(caller.companyId, body, once), withMessage('The profile was created.')),
    getVerificationProfile: async ({ caller, params }) =>
      mapOk(orNotFound(await getVerificationProfile(caller.companyId, params.profile_id)), withMessage('The profile.')),
    updateVerificationProfile: async ({ caller, params, body }) =>
      mapOk(await updateVerificationProfile(caller.companyId, params.profile_id, body), withMessage('The profile was changed.')),
    revokeTrust: async ({ caller, params, body }) =>
      mapOk(await revokeTrust(caller.companyId, params.profile_id, body.identifier), withMessage('The trust keys were revoked.')),
    listVerificationKeys: async ({ caller, params }) =>
      mapOk(await listVerificationKeys(caller.companyId, params.profile_id), withMessage('The keys of the profile.')),
    createVerificationKey: async ({ caller, params, body }) =>
      mapOk(await createVerificationKey(caller, params.profile_id, body), secretOnce),
    rotateVerificationKey: async ({ caller, params, body }) =>
      mapOk(await rotateVerificationKey(caller, params.id, body.overlap_hours), secretOnce),
    deactivateVerificationKey: async ({ caller, params }) =>
      mapOk(await deactivateVerificationKey(caller.companyId, params.id), withMessage('The key is inactive.')),
    listVerificationTemplates: async ({ caller, query }) =>
      ok(await listVerificationTemplates(caller.companyId, query.profile_id), 'The templates.'),
    createVerificationTemplate: async ({ caller, body }) =>
      mapOk(await createVerificationTemplate(caller.companyId, body), withMessage('The template was created.')),
    updateVerificationTemplate: async ({ caller, params, body }) =>
      mapOk(await updateVerificationTemplate(caller.companyId, params.id, body), withMessage('The template was changed.')),
    deleteVerificationTemplate: async ({ caller, params }) =>
      deleted(params.id, await deleteVerificationTemplate(caller.companyId, params.id)),
    listVerificationWhitelists: async ({ caller, query }) =>
      ok(await listVerificationWhitelists(caller.companyId, query.profile_id), 'The whitelist.'),
    createVerificationWhitelist: async ({ caller, body, once }) =>
      mapOk(await createVerificationWhitelist(caller.companyId, body, once), withMessage('The entry was added to the whitelist.')),
    deleteVerificationWhitelist: async ({ caller, params }) =>
      deleted(params.id, await deleteVerificationWhitelist(caller.companyId, params.id)),
    listVerificationRequests: async ({ caller, query }) =>
      mapOk(await listVerificationRequests(caller.companyId, query), withCursor('The requests.')),
    getVerificationReport: async ({ caller, query }) =>
      mapOk(await getVerificationReport(caller.companyId, query), withMessage('The report.')),
    listVerificationBlocks: async ({ caller, query }) =>
      mapOk(await listVerificationBlocks(caller.companyId, query), withCursor('The blocks.')),
    deleteVerificationBlock: async ({ caller, params }) => deleted(params.id, await deleteVerificationBlock(caller.companyId, params.id)),
  },
  { seal: answerSeal },
);
