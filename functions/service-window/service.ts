import { dayMs } from '../../shared/runtime/clock.ts';
import type { StoredWindow } from './contract.ts';
import { getWindow, listWindows } from './store.ts';

/** The customer service window (decision A26): 24 hours from the contact's last message. */
export const serviceWindowMs = dayMs;

export const serviceWindowOf = (lastInboundAtMs: number | undefined, nowMs: number): { open: boolean; expiresAtMs: number | undefined } => {
  const expiresAtMs = lastInboundAtMs === undefined ? undefined : lastInboundAtMs + serviceWindowMs;
  return { open: expiresAtMs !== undefined && expiresAtMs > nowMs, expiresAtMs };
};

/** When the contact last wrote to a number; to any number before the numbers were recorded. */
export const inboundAtOf = (window: StoredWindow | undefined, numberId: number | undefined): number | undefined =>
  numberId === undefined || window?.inboundAtByNumber === undefined ? window?.lastInboundAt : window.inboundAtByNumber[numberId];

/** The time of each contact's last inbound message, epoch milliseconds; contacts that never wrote are left out. 0.5 RRU a contact. */
export const getLastInboundTimes = async (companyId: number, contactIds: readonly number[]): Promise<Map<number, number>> =>
  new Map(
    (await listWindows(companyId, contactIds)).flatMap(({ contactId, lastInboundAt: at }) =>
      at === undefined ? [] : [[contactId, at] as const],
    ),
  );

/**
 * The time of the contact's last message to a number, or to any, epoch milliseconds: it opens the customer service window of contact and
 * number. 0.5 RRU.
 */
export const lastInboundAt = async (companyId: number, contactId: number, numberId?: number): Promise<number | undefined> =>
  inboundAtOf(await getWindow(companyId, contactId), numberId);

/** The id of the contact's newest message, null where the contact never wrote; undefined: there is no conversation. 0.5 RRU. */
export const lastInboundId = async (companyId: number, contactId: number): Promise<number | null | undefined> => {
  const window = await getWindow(companyId, contactId);
  return window && (window.lastInboundId ?? null);
};

/** The numbers, of these, whose customer service window the contact has open. 0.5 RRU. */
export const getWrittenNumbers = async (
  companyId: number,
  contactId: number,
  numberIds: readonly number[],
  nowMs: number,
): Promise<number[]> => {
  const window = await getWindow(companyId, contactId);
  return numberIds.filter((id) => serviceWindowOf(inboundAtOf(window, id), nowMs).open);
};

/** The number that the contact last wrote to. 0.5 RRU. */
export const lastNumberId = async (companyId: number, contactId: number): Promise<number | undefined> =>
  (await getWindow(companyId, contactId))?.lastNumberId;
