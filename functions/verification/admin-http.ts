import { isProblem, problem, type Problem } from '../../shared/contract/problems.ts';
import { found, ok, unlessRefused } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { keyedHash, seal, unseal } from '../../shared/runtime/seal.ts';
import type { IssuedKey } from '../account/service/verification.ts';
import { deactivateKey, issueKey, listKeys, rotateKey } from '../account/service/verification.ts';
import { adminRoutes } from './contract/admin.ts';
import { pageOfBlocks, unblock } from './service/admin/blocks.ts';
import {
  createVerificationProfile,
  getVerificationProfile,
  listVerificationProfiles,
  revokeTrust,
  updateVerificationProfile,
} from './service/admin/profiles.ts';
import { createTemplate, deleteTemplate, listTemplates, updateTemplate } from './service/admin/templates.ts';
import { createWhitelist, deleteWhitelist, listWhitelists } from './service/admin/whitelists.ts';

const asSaid =
  (message: string) =>
  <T>(data: T) =>
    ok(data, message);

const issued = ({ key, secret_key }: IssuedKey) => ok({ ...key, secret_key }, 'The pair of keys. The secret one is not shown again.');
const gone = (id: string, isDone: boolean) => (isDone ? ok({ id, deleted: true as const }, 'Deleted.') : problem('not_found'));

const keysOf = async (companyId: number, profileId: string) => {
  const profile = await getVerificationProfile(companyId, profileId);
  return isProblem(profile) ? profile : unlessRefused(await listKeys(companyId, profileId), asSaid('The keys of the profile.'));
};

const trustRevoked = (profileId: string, refused: Problem<'not_found' | 'validation_failed'> | undefined) =>
  refused ?? ok({ profile_id: profileId, revoked: true as const }, 'Trust is taken back.');

const blocks = async (companyId: number, query: Parameters<typeof pageOfBlocks>[1]) => {
  const page = await pageOfBlocks(companyId, query);
  if (isProblem(page)) return page;
  const { body, status } = ok(page.blocks, 'The blocks.');
  return { status, body: { ...body, meta: { next_cursor: page.nextCursor } } };
};

export const handler = serve(
  adminRoutes,
  {
    listVerificationProfiles: async ({ caller }) =>
      unlessRefused(await listVerificationProfiles(caller.companyId), asSaid('The profiles.')),
    createVerificationProfile: async ({ caller, body, once }) =>
      unlessRefused(await createVerificationProfile(caller.companyId, body, once), asSaid('The profile was created.')),
    getVerificationProfile: async ({ caller, params }) =>
      unlessRefused(found(await getVerificationProfile(caller.companyId, params.profile_id)), asSaid('The profile.')),
    updateVerificationProfile: async ({ caller, params, body }) =>
      unlessRefused(await updateVerificationProfile(caller.companyId, params.profile_id, body), asSaid('The profile was changed.')),
    revokeTrust: async ({ caller, params, body }) =>
      trustRevoked(params.profile_id, await revokeTrust(caller.companyId, params.profile_id, body.identifier)),
    listVerificationKeys: ({ caller, params }) => keysOf(caller.companyId, params.profile_id),
    createVerificationKey: async ({ caller, params, body }) =>
      unlessRefused(await issueKey(caller.companyId, params.profile_id, body), issued),
    rotateVerificationKey: async ({ caller, params, body }) =>
      unlessRefused(await rotateKey(caller.companyId, params.id, body.overlap_hours), issued),
    deactivateVerificationKey: async ({ caller, params }) =>
      unlessRefused(await deactivateKey(caller.companyId, params.id), asSaid('The key is inactive.')),
    listVerificationTemplates: async ({ caller, query }) => ok(await listTemplates(caller.companyId, query.profile_id), 'The templates.'),
    createVerificationTemplate: async ({ caller, body }) =>
      unlessRefused(await createTemplate(caller.companyId, body), asSaid('The template was created.')),
    updateVerificationTemplate: async ({ caller, params, body }) =>
      unlessRefused(await updateTemplate(caller.companyId, params.id, body), asSaid('The template was changed.')),
    deleteVerificationTemplate: async ({ caller, params }) => gone(params.id, await deleteTemplate(caller.companyId, params.id)),
    listVerificationWhitelists: async ({ caller, query }) => ok(await listWhitelists(caller.companyId, query.profile_id), 'The whitelist.'),
    createVerificationWhitelist: async ({ caller, body }) =>
      unlessRefused(await createWhitelist(caller.companyId, body), asSaid('It is let through.')),
    deleteVerificationWhitelist: async ({ caller, params }) => gone(params.id, await deleteWhitelist(caller.companyId, params.id)),
    listVerificationBlocks: ({ caller, query }) => blocks(caller.companyId, query),
    deleteVerificationBlock: async ({ caller, params }) => gone(params.id, await unblock(caller.companyId, params.id)),
  },
  { seal, unseal, keyedHash },
);
