import { setImmediate as nextLoop, setTimeout as pause } from 'node:timers/promises';
import type { Handler } from '../../../shared/http/serve.ts';
import { setting } from '../../../shared/runtime/env.ts';

/** Milliseconds of the clock that timers go by, whole as they are there: a part of one would show how long the work took. */
const ticks = (): number => Math.floor(Number(process.hrtime.bigint()) / 1e6);

/**
 * The handler, with its answer given at the next multiple of `VERIFICATION_ANSWER_MS` after the call began. What is read of a known
 * identifier or request is decoded and checked, of an unknown one it is not; steps that are longer than the work usually takes cover this.
 * Why and how long: docs/decisions/verification-answer-time.md.
 */
export const inSteps = (handler: Handler): Handler => {
  const inStep = async (...call: Parameters<Handler>): ReturnType<Handler> => {
    const began = ticks();
    try {
      return await handler(...call);
    } finally {
      const step = Number(setting('VERIFICATION_ANSWER_MS'));
      // a timer counts from when its loop last looked at the clock
      await nextLoop();
      await pause(step - ((ticks() - began) % step));
    }
  };
  return Object.assign(inStep, { stages: handler.stages });
};
