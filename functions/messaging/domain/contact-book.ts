import * as z from 'zod';
import { providerErrorEntry } from '../../../shared/provider/errors.ts';

/** `later`: it may be done by another call; `refused`: no repetition does it. */
export type ContactBookAnswer = { outcome: 'done' } | { outcome: 'later' } | { outcome: 'refused'; code: number };

const refusal = z.looseObject({ error: z.looseObject({ code: z.int() }) });

/** Reads what the provider answered to the removal of a user from its contact book. */
export const readContactBookAnswer = (status: number, body: unknown): ContactBookAnswer => {
  if (status < 300) return { outcome: 'done' };
  const code = refusal.safeParse(body).data?.error.code;
  return code === undefined || status === 429 || status >= 500 || providerErrorEntry(code).retryable
    ? { outcome: 'later' }
    : { outcome: 'refused', code };
};
