import { vi } from 'vitest';
import * as sending from '../../functions/verification/service/send-code.ts';
import * as requests from '../../functions/verification/store/request.ts';
import { excuseMessage } from './fault-recorder.ts';

/** Looks at what becomes of each message, and excuses those that need not have gone. */
export const excuseWhatFails = (): void => {
  const { sendCode } = sending;
  // a crash may leave a claimed send unsent; a fault that the worker lives through excuses nothing
  vi.spyOn(sending, 'sendCode').mockImplementation((command, attempt) =>
    sendCode(command, attempt).catch((error: unknown) => {
      if (error instanceof Error && error.name === 'Crash') excuseMessage(command.requestId);
      throw error;
    }),
  );
  const { releaseSend } = requests;
  // a message that did not leave is given up where a later one with the same code has the claim
  vi.spyOn(requests, 'releaseSend').mockImplementation(async (claimed) => {
    const isReleased = await releaseSend(claimed);
    if (!isReleased) excuseMessage(claimed.id);
    return isReleased;
  });
};
