import { updateNumberSuspension } from '../store/pace.ts';

interface SuspendedNumber {
  companyId: number;
  id: number;
}

/** No worker gets a send slot of this number any more: no message, code or campaign leaves it. 1 WRU. */
export const suspendSends = ({ companyId, id }: SuspendedNumber): Promise<void> => updateNumberSuspension(companyId, id, true);

export const resumeSends = ({ companyId, id }: SuspendedNumber): Promise<void> => updateNumberSuspension(companyId, id, undefined);
