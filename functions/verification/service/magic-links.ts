import { now } from '../../../shared/runtime/clock.ts';
import { sameSecret } from '../../../shared/runtime/seal.ts';
import { getStoredProfile } from '../../account/service/stored-profiles.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { isLinkPreview } from '../domain/link-preview.ts';
import { dayMs } from '../domain/request-budget.ts';
import { parseSettings, type Settings } from '../domain/settings.ts';
import { getRequest } from '../store/request.ts';
import { finishRequest } from './finish-request.ts';
import { companyIdOfLinkToken, deriveLinkToken } from './secrets.ts';

export interface MagicLink {
  request_id: string;
  token: string;
}

export interface MagicLinkResult {
  page: 'verified' | 'already' | 'neutral' | 'confirm' | 'invalid';
  /** Where the browser continues after a valid link. */
  continueAt?: string | undefined;
}

/**
 * GET of a magic link: verifies, or shows the page with the button. A HEAD request and the link preview of a messenger change nothing:
 * they must not consume the link before the recipient opens it.
 */
export const openMagicLink = async (
  link: MagicLink,
  { method, userAgent }: { method: string; userAgent: string | undefined },
): Promise<MagicLinkResult> => {
  if (method === 'HEAD' || isLinkPreview(userAgent)) return { page: 'neutral' };
  const valid = await findValidLink(link);
  if (!valid) return { page: 'invalid' };
  const { request, settings } = valid;
  if (settings.confirm_page && request.status === 'pending' && request.expiresAt > now()) return { page: 'confirm' };
  return verifyByLink(request, settings);
};

/** POST by the button of the page: verifies. */
export const confirmMagicLink = async (link: MagicLink): Promise<MagicLinkResult> => {
  const valid = await findValidLink(link);
  return valid ? verifyByLink(valid.request, valid.settings) : { page: 'invalid' };
};

/** The request of a link whose token is right and whose profile allows links. */
async function findValidLink({
  request_id,
  token,
}: MagicLink): Promise<{ request: StoredRequest; settings: Settings['magic_link'] } | undefined> {
  const companyId = companyIdOfLinkToken(token);
  const request = companyId === undefined ? undefined : await getRequest(companyId, request_id);
  if (!request || !sameSecret(await deriveLinkToken(request.companyId, request_id), token)) return undefined;
  const profile = await getStoredProfile(request.companyId, request.profileId);
  const { magic_link: settings } = parseSettings(profile?.settings ?? {});
  return profile?.status === 'active' && settings.enabled ? { request, settings } : undefined;
}

/** Finishes the request; of concurrent calls one verifies, the others show that it is already verified. */
async function verifyByLink({ companyId, id }: StoredRequest, settings: Settings['magic_link']): Promise<MagicLinkResult> {
  const request = await getRequest(companyId, id, { consistent: true });
  const at = now();
  const continueAt = settings.redirect_url;
  if (request?.status === 'verified') return (request.endedAt ?? 0) + dayMs > at ? { page: 'already', continueAt } : { page: 'invalid' };
  if (request?.status !== 'pending' || request.expiresAt <= at) return { page: 'invalid' };
  const written = await finishRequest(request, { status: 'verified', via: 'link' });
  if (written.done) return { page: 'verified', continueAt };
  return written.current?.status === 'verified' ? { page: 'already', continueAt } : { page: 'invalid' };
}
