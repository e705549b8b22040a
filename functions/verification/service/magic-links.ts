import { now } from '../../../shared/runtime/clock.ts';
import { sameSecret } from '../../../shared/runtime/seal.ts';
import { getStoredProfile } from '../../account/service/stored-profiles.ts';
import { dayMs } from '../domain/request-budget.ts';
import { isLinkPreview } from '../domain/link-preview.ts';
import { parseSettings } from '../domain/settings.ts';
import type { PageName } from '../page.ts';
import { getRequest } from '../store/request.ts';
import { finishRequest } from './finish-request.ts';
import { companyIdOfLinkToken, deriveLinkToken } from './secrets.ts';

export interface MagicLinkResult {
  page: PageName;
  /** Where the person goes on, when the link held. */
  continueAt?: string | undefined;
}

/** Which page a magic link shows, and what opening it does (V24). A HEAD and a preview agent do nothing; a button is pressed by people. */
export const openMagicLink = async (
  { method, userAgent }: { method: string; userAgent: string | undefined },
  requestId: string,
  token: string,
): Promise<MagicLinkResult> => {
  if (method === 'HEAD' || (method === 'GET' && isLinkPreview(userAgent))) return { page: 'neutral' };
  const companyId = companyIdOfLinkToken(token);
  const request = companyId === undefined ? undefined : await getRequest(companyId, requestId);
  if (companyId === undefined || !request || !sameSecret(await deriveLinkToken(companyId, requestId), token)) return { page: 'invalid' };
  const profile = await getStoredProfile(companyId, request.profileId);
  const { magic_link: magic } = parseSettings(profile?.settings ?? {});
  if (!profile || profile.status !== 'active' || !magic.enabled) return { page: 'invalid' };
  if (method === 'GET' && magic.confirm_page && request.status === 'pending' && request.expiresAt > now()) return { page: 'confirm' };
  const page = await verifyByLink(companyId, requestId);
  return page === 'invalid' ? { page } : { page, continueAt: magic.redirect_url };
};

/** One conditional write ends the request; whoever comes later finds it done. */
async function verifyByLink(companyId: number, requestId: string): Promise<'verified' | 'already' | 'invalid'> {
  const request = await getRequest(companyId, requestId, { consistent: true });
  const at = now();
  if (request?.status === 'verified') return (request.endedAt ?? 0) + dayMs > at ? 'already' : 'invalid';
  if (request?.status !== 'pending' || request.expiresAt <= at) return 'invalid';
  const written = await finishRequest(request, { status: 'verified', via: 'link' });
  return written.done ? 'verified' : written.current?.status === 'verified' ? 'already' : 'invalid';
}
