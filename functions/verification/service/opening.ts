import { settingsOf } from '../domain/settings.ts';
import { readProfile } from '../../account/service/profile-of-key.ts';
import { isPreview, type PageName } from '../page.ts';
import { findRequest } from '../store.ts';
import { companyOfLink } from './secrets.ts';
import { openLink } from './verifying.ts';

/** Which page a magic link shows, and what opening it does (V24). A HEAD and a preview agent do nothing. */
export const openPage = async (
  { method, userAgent }: { method: string; userAgent: string | undefined },
  requestId: string,
  token: string,
): Promise<PageName> => {
  if (method === 'HEAD' || isPreview(userAgent)) return 'neutral';
  const companyId = companyOfLink(token);
  if (companyId === undefined) return 'invalid';
  const request = await findRequest(companyId, requestId);
  if (!request) return 'invalid';
  const profile = await readProfile(companyId, request.profileId);
  const { magic_link: magic } = settingsOf(profile?.settings ?? {});
  if (!profile || profile.status !== 'active' || !magic.enabled) return 'invalid';
  if (method === 'GET' && magic.confirm_page && request.status === 'pending') return 'confirm';
  return openLink(companyId, requestId, token);
};
