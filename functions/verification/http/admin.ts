import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { orNotFound, ok, mapOk } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { keyedHash, seal, unseal } from '../../../shared/runtime/seal.ts';
import type { IssuedKey } from '../../account/service/verification-profiles.ts';
import { deactivateKey, issueKey, listKeys, rotateKey } from '../../account/service/verification-profiles.ts';
import { adminRoutes } from '../contract/admin.ts';
import { listVerificationBlocks, deleteVerificationBlock } from '../service/admin/blocks.ts';
import {
  createVerificationProfile,
  getVerificationProfile,
  listVerificationProfiles,
  revokeTrust,
  updateVerificationProfile,
} from '../service/admin/profiles.ts';
import {
  createVerificationTemplate,
  deleteVerificationTemplate,
  listVerificationTemplates,
  updateVerificationTemplate,
} from '../service/admin/templates.ts';
import { createVerificationWhitelist, deleteVerificationWhitelist, listVerificationWhitelists } from '../service/admin/whitelists.ts';

const asSaid =
  (message: string) =>
  <T>(data: T) =>
    ok(data, message);

const issued = ({ key, secret_key }: IssuedKey) => ok({ ...key, secret_key }, 'The pair of keys. The secret one is not shown again.');
const gone = (id: string, isDone: boolean) => (isDone ? ok({ id, deleted: true as const }, 'Deleted.') : problem('not_found'));

const keysOf = async (companyId: number, profileId: string) => {
  const profile = await getVerificationProfile(companyId, profileId);
  return isProblem(profile) ? profile : mapOk(await listKeys(companyId, profileId), asSaid('The keys of the profile.'));
};

const trustRevoked = (profileId: string, refused: Problem<'not_found' | 'validation_failed'> | undefined) =>
  refused ?? ok({ profile_id: profileId, revoked: true as const }, 'Trust is taken back.');

const blocks = async (companyId: number, query: Parameters<typeof listVerificationBlocks>[1]) => {
  const page = await listVerificationBlocks(companyId, query);
  if (isProblem(page)) return page;
  const { body, status } = ok(page.blocks, 'The blocks.');
  return { status, body: { ...body, meta: { next_cursor: page.nextCursor } } };
};

export const handler = serve(
  adminRoutes,
  {
    listVerificationProfiles: async ({ caller }) => mapOk(await listVerificationProfiles(caller.companyId), asSaid('The profiles.')),
    createVerificationProfile: async ({ caller, body, once }) =>
      mapOk(await createVerificationProfile(caller.companyId, body, once), asSaid('The profile was created.')),
    getVerificationProfile: async ({ caller, params }) =>
      mapOk(orNotFound(await getVerificationProfile(caller.companyId, params.profile_id)), asSaid('The profile.')),
    updateVerificationProfile: async ({ caller, params, body }) =>
      mapOk(await updateVerificationProfile(caller.companyId, params.profile_id, body), asSaid('The profile was changed.')),
    revokeTrust: async ({ caller, params, body }) =>
      trustRevoked(params.profile_id, await revokeTrust(caller.companyId, params.profile_id, body.identifier)),
    listVerificationKeys: ({ caller, params }) => keysOf(caller.companyId, params.profile_id),
    createVerificationKey: async ({ caller, params, body }) => mapOk(await issueKey(caller.companyId, params.profile_id, body), issued),
    rotateVerificationKey: async ({ caller, params, body }) =>
      mapOk(await rotateKey(caller.companyId, params.id, body.overlap_hours), issued),
    deactivateVerificationKey: async ({ caller, params }) =>
      mapOk(await deactivateKey(caller.companyId, params.id), asSaid('The key is inactive.')),
    listVerificationTemplates: async ({ caller, query }) =>
      ok(await listVerificationTemplates(caller.companyId, query.profile_id), 'The templates.'),
    createVerificationTemplate: async ({ caller, body }) =>
      mapOk(await createVerificationTemplate(caller.companyId, body), asSaid('The template was created.')),
    updateVerificationTemplate: async ({ caller, params, body }) =>
      mapOk(await updateVerificationTemplate(caller.companyId, params.id, body), asSaid('The template was changed.')),
    deleteVerificationTemplate: async ({ caller, params }) =>
      gone(params.id, await deleteVerificationTemplate(caller.companyId, params.id)),
    listVerificationWhitelists: async ({ caller, query }) =>
      ok(await listVerificationWhitelists(caller.companyId, query.profile_id), 'The whitelist.'),
    createVerificationWhitelist: async ({ caller, body }) =>
      mapOk(await createVerificationWhitelist(caller.companyId, body), asSaid('It is let through.')),
    deleteVerificationWhitelist: async ({ caller, params }) =>
      gone(params.id, await deleteVerificationWhitelist(caller.companyId, params.id)),
    listVerificationBlocks: ({ caller, query }) => blocks(caller.companyId, query),
    deleteVerificationBlock: async ({ caller, params }) => gone(params.id, await deleteVerificationBlock(caller.companyId, params.id)),
  },
  { seal, unseal, keyedHash },
);
