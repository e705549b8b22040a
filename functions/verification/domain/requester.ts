import type { StoredRequest } from '../contract/stored.ts';

/** Who called POST /verification/request, by all that another caller would have different. */
export interface RequesterTraits {
  /** A server of the company: a secret key, a token or a valid signature. */
  isTrusted: boolean;
  /** Keyed hash of the caller's own label. */
  label: string | undefined;
  ip: string | undefined;
  userAgent: string | undefined;
  isSilent: boolean;
}

/** The traits in one text, which is stored as a keyed hash; undefined where a server names no end user. */
export const requesterText = ({ isTrusted, label, ip, userAgent, isSilent }: RequesterTraits): string | undefined =>
  isTrusted && label === undefined && ip === undefined ? undefined : JSON.stringify([isTrusted, label, ip, userAgent, isSilent]);

/**
 * The changes of a pending request that another call continues. A label is bound to the call that gave it: it stays only where both calls
 * gave the same. A call with other traits makes the request a shared one, for good (V11).
 */
export const joinRequest = (
  pending: Pick<StoredRequest, 'requester' | 'label' | 'isShared'>,
  call: Pick<StoredRequest, 'requester' | 'label'>,
): Pick<StoredRequest, 'label' | 'isShared'> => ({
  label: pending.label === call.label ? pending.label : undefined,
  isShared: pending.isShared === true || pending.requester === undefined || pending.requester !== call.requester ? true : undefined,
});

/**
 * Whether the label of a verified request proves anything later. That of a public key does not where a link verified the request: any reader of
 * the mailbox may have opened it, unless it was opened from the address and browser that requested it (V11).
 */
export const isLabelProven = ({ via, isTrusted, isOwnBrowser }: Pick<StoredRequest, 'via' | 'isTrusted' | 'isOwnBrowser'>): boolean =>
  via !== 'link' || isTrusted === true || isOwnBrowser === true;

/** Whether a link is opened from where it was requested, and by the browser that requested it. */
export const isOpenedByRequester = (
  { ip, userAgent, isShared }: Pick<StoredRequest, 'ip' | 'userAgent' | 'isShared'>,
  opened: { ip: string; userAgent: string | undefined },
): boolean => !isShared && ip !== undefined && ip === opened.ip && userAgent !== undefined && userAgent === opened.userAgent?.slice(0, 300);

/**
 * Whether GET /verification/status shows what a verified request proves (V20). A server of the company sees it. A public key is everybody's:
 * its callers see it only of a request that one caller made with that key, and never of a link, which any reader of the mailbox may open.
 */
export const isProofShown = (request: StoredRequest, viewer: { isTrusted: boolean; credentialId: number }): boolean =>
  viewer.isTrusted ||
  (request.isShared !== true && request.isTrusted !== true && request.via !== 'link' && request.credentialId === viewer.credentialId);
