import { dayMs, now } from '../../../shared/runtime/clock.ts';
import { networkOf } from '../../../shared/access/network.ts';
import { getStoredProfile } from '../../account/service/stored-profiles.ts';
import type { StoredRequest } from '../contract/stored.ts';
import { isTopLevelNavigation } from '../domain/link-opening.ts';
import { describeRequest } from '../domain/request-origin.ts';
import { isOpenedByRequester } from '../domain/requester.ts';
import { parseSettings, type Settings } from '../domain/settings.ts';
import { getRequest } from '../store/request.ts';
import { finishRequest } from './finish-request.ts';
import { companyIdOfLinkToken, isLinkToken } from './secrets.ts';

export interface MagicLink {
  request_id: string;
  token: string;
}

/** The browser that opens a link. */
export interface Opener {
  headers: Readonly<Record<string, string>>;
  sourceIp: string;
}

export interface MagicLinkResult {
  page: 'verified' | 'already' | 'neutral' | 'confirm' | 'invalid';
  /** What the link allows, and where it was requested. */
  about?: readonly string[];
  /** Where the browser continues after a valid link. */
  continueAt?: string | undefined;
}

/**
 * GET of a magic link: verifies, or shows the page with the button. Only a browser that its user leads to the link consumes it; the scanner
 * of a mailbox, a link preview or a HEAD request must not.
 */
export const openMagicLink = async (link: MagicLink, { method, ...opener }: { method: string } & Opener): Promise<MagicLinkResult> => {
  if (method === 'HEAD') return { page: 'neutral' };
  const valid = await findValidLink(link);
  if (!valid) return { page: 'invalid' };
  const { request, settings, about } = valid;
  const isOpen = request.status === 'pending' && request.expiresAt > now();
  if (isOpen && !isTopLevelNavigation(method, opener.headers)) return { page: 'neutral', about };
  if (isOpen && settings.confirm_page) return { page: 'confirm', about };
  return { ...(await verifyByLink(request, settings, opener)), about };
};

/** POST by the button of the page: verifies. */
export const confirmMagicLink = async (link: MagicLink, opener: Opener): Promise<MagicLinkResult> => {
  const valid = await findValidLink(link);
  return valid ? { ...(await verifyByLink(valid.request, valid.settings, opener)), about: valid.about } : { page: 'invalid' };
};

/** The request of a link whose token is right and whose profile allows links. */
async function findValidLink({
  request_id,
  token,
}: MagicLink): Promise<{ request: StoredRequest; settings: Settings['magic_link']; about: string[] } | undefined> {
  const companyId = isUuid(request_id) ? companyIdOfLinkToken(token) : undefined;
  const request = companyId === undefined ? undefined : await getRequest(companyId, request_id);
  if (!request || !(await isLinkToken(request.companyId, request_id, token))) return undefined;
  const profile = await getStoredProfile(request.companyId, request.profileId);
  const { magic_link: settings } = parseSettings(profile?.settings ?? {});
  return profile?.status === 'active' && settings.enabled
    ? { request, settings, about: describeRequest(request, profile.name) }
    : undefined;
}

/** Any other text is no id; a very long one would exceed the key of the table. */
const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);

/** Finishes the request; of concurrent calls one verifies, the others show that it is already verified. */
async function verifyByLink(
  { companyId, id }: StoredRequest,
  settings: Settings['magic_link'],
  { headers, sourceIp }: Opener,
): Promise<MagicLinkResult> {
  const request = await getRequest(companyId, id, { consistent: true });
  const at = now();
  const continueAt = settings.redirect_url;
  if (request?.status === 'verified') return (request.endedAt ?? 0) + dayMs > at ? { page: 'already', continueAt } : { page: 'invalid' };
  if (request?.status !== 'pending' || request.expiresAt <= at) return { page: 'invalid' };
  const isOwnBrowser = isOpenedByRequester(request, { ip: networkOf(sourceIp), userAgent: headers['user-agent'] });
  const written = await finishRequest(request, { status: 'verified', via: 'link', ...(isOwnBrowser ? { isOwnBrowser } : {}) });
  if (written.done) return { page: 'verified', continueAt };
  return written.current?.status === 'verified' ? { page: 'already', continueAt } : { page: 'invalid' };
}
