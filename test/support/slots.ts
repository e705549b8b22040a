import { vi } from 'vitest';
import * as sendSlots from '../../functions/messaging/service/send-slots.ts';
import { testClock } from './clock.ts';

/** Slots are waited for in the time of the test, not of the machine: a clock that is slow by a second is waited for a hundred times. */
export const waitInTestTime = (): void => {
  const { reserveCampaignSlots } = sendSlots;
  const untilSlot = async (atMs: number): Promise<void> => testClock().moveTo(atMs);
  vi.spyOn(sendSlots, 'waitForSlot').mockImplementation(untilSlot);
  vi.spyOn(sendSlots, 'reserveCampaignSlots').mockImplementation((number, count, untilMs, _wait, charges) =>
    reserveCampaignSlots(number, count, untilMs, untilSlot, charges),
  );
};
