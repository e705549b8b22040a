import { now } from '../../../shared/runtime/clock.ts';
import { sameSecret } from '../../../shared/runtime/seal.ts';
import { readProfile } from '../../account/service/profile-of-key.ts';
import { dayMs } from '../domain/guard.ts';
import { isPreview } from '../domain/preview.ts';
import { settingsOf } from '../domain/settings.ts';
import type { PageName } from '../page.ts';
import { findRequest } from '../store/request.ts';
import { end } from './ending.ts';
import { companyOfLink, linkToken } from './secrets.ts';

export interface Opened {
  page: PageName;
  /** Where the person goes on, when the link held. */
  continueAt?: string | undefined;
}

/** Which page a magic link shows, and what opening it does (V24). A HEAD and a preview agent do nothing; a button is pressed by people. */
export const openPage = async (
  { method, userAgent }: { method: string; userAgent: string | undefined },
  requestId: string,
  token: string,
): Promise<Opened> => {
  if (method === 'HEAD' || (method === 'GET' && isPreview(userAgent))) return { page: 'neutral' };
  const companyId = companyOfLink(token);
  const request = companyId === undefined ? undefined : await findRequest(companyId, requestId);
  if (companyId === undefined || !request || !sameSecret(await linkToken(companyId, requestId), token)) return { page: 'invalid' };
  const profile = await readProfile(companyId, request.profileId);
  const { magic_link: magic } = settingsOf(profile?.settings ?? {});
  if (!profile || profile.status !== 'active' || !magic.enabled) return { page: 'invalid' };
  if (method === 'GET' && magic.confirm_page && request.status === 'pending' && request.expiresAt > now()) return { page: 'confirm' };
  const page = await openLink(companyId, requestId);
  return page === 'invalid' ? { page } : { page, continueAt: magic.redirect_url };
};

/** One conditional write ends the request; whoever comes later finds it done. */
async function openLink(companyId: number, requestId: string): Promise<'verified' | 'already' | 'invalid'> {
  const request = await findRequest(companyId, requestId, { consistent: true });
  const at = now();
  if (request?.status === 'verified') return (request.endedAt ?? 0) + dayMs > at ? 'already' : 'invalid';
  if (request?.status !== 'pending' || request.expiresAt <= at) return 'invalid';
  const written = await end(request, { status: 'verified', via: 'link' });
  return written.done ? 'verified' : written.current?.status === 'verified' ? 'already' : 'invalid';
}
