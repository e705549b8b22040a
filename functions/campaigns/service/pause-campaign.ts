import { now } from '../../../shared/runtime/clock.ts';
import { log } from '../../../shared/runtime/log.ts';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';
import { conflict, maxConflicts, retryOnConflict } from '../../../shared/table/conflict.ts';
import type { CampaignStatus, PauseReason, StoredCampaign } from '../contract/stored.ts';
import { changeCampaign, getStoredCampaign } from '../store/campaign.ts';

/** What can be paused (A38). A queued campaign is one about to be constructed. */
const pausable: readonly CampaignStatus[] = ['queued', 'constructing', 'scheduled', 'sending'];

/** Pauses a campaign for a reason; no effect on one that is over. */
export const pauseCampaign = async (companyId: number, campaignId: number, reason: PauseReason): Promise<void> => {
  await pauseStoredCampaign(await getStoredCampaign(companyId, campaignId), reason);
};

/** What such a pause waits for ends by itself, and the campaign continues. */
const passing: readonly (PauseReason | undefined)[] = ['company_suspended', 'number_restricted', 'spend_limit'];

/**
 * The campaign, paused; as it stands when it was so already; undefined when it is over. A user's pause takes the place of one that would end by
 * itself: what a user has stopped only a user continues.
 */
export const pauseStoredCampaign = async (
  campaign: StoredCampaign | undefined,
  pauseReason: PauseReason,
  resumeAt?: number,
  pauseDetails?: StoredCampaign['pauseDetails'],
): Promise<StoredCampaign | undefined> => {
  let seen = campaign;
  return retryOnConflict(maxConflicts, async () => {
    if (!seen) return seen;
    if (seen.status === 'paused' && !(pauseReason === 'user' && passing.includes(seen.pauseReason))) return seen;
    if (seen.status !== 'paused' && !pausable.includes(seen.status)) return undefined;
    const pausedFrom = seen.status === 'paused' ? seen.pausedFrom : seen.status;
    const change = { status: 'paused', pausedFrom, pauseReason, pauseDetails, resumeAt, ...sendingEnds(seen, now()) } as const;
    const written = await changeCampaign(seen, change, now());
    if (written.done) {
      log.info('A campaign is paused', { campaign_id: seen.id, code: pauseReason });
      return written.item;
    }
    seen = written.current;
    return conflict;
  });
};

/** Adds the time since it sends to the time that it has sent. */
export const sendingEnds = ({ status, sendingSince, sendingMs = 0 }: StoredCampaign, nowMs: number): Partial<StoredCampaign> =>
  status === 'sending' && sendingSince !== undefined ? { sendingMs: sendingMs + Math.max(0, nowMs - sendingSince) } : {};

/** A campaign continues whose pause has ended by itself. Throws where it moved meanwhile: the queue delivers the check again. */
export const continueCampaign = async (campaign: StoredCampaign): Promise<void> => {
  const written = await changeCampaign(campaign, changeOnResume(campaign, now()), now());
  if (!written.done) throw new Error('A campaign moved while it was resumed; the queue delivers the check again.');
  log.info('A campaign continues', { campaign_id: campaign.id, code: campaign.pauseReason ?? 'none' });
};

/** Back to where a paused campaign stood. A new run number starts its chains again. */
export const changeOnResume = (campaign: StoredCampaign, nowMs: number): Partial<StoredCampaign> => {
  const back = campaign.pausedFrom ?? 'sending';
  const status = back === 'scheduled' && (campaign.sendTime ?? 0) <= nowMs ? 'queued' : back;
  return {
    status,
    pausedFrom: undefined,
    pauseReason: undefined,
    pauseDetails: undefined,
    resumeAt: undefined,
    ...(status === 'sending' ? { runNumber: campaign.runNumber + 1, sendingSince: nowMs } : {}),
  };
};

/** Whether a refusal concerns all that the campaign would still send: its template, or the number and account it sends from. */
export const pauseReasonForError = (code: number | string | undefined): PauseReason | undefined => {
  if (typeof code !== 'number') return undefined;
  if (templateErrorCodes.has(code)) return 'template_paused';
  return accountErrorCodes.has(code) || providerErrorEntry(code).class === 'account' ? 'provider_blocked' : undefined;
};

/** Template missing, paused, disabled. */
const templateErrorCodes: ReadonlySet<number> = new Set([132001, 132015, 132016]);
/** Policy blocks, locked account, spam limit, payment. */
const accountErrorCodes: ReadonlySet<number> = new Set([368, 131031, 131042, 131048, 131064, 134011]);
