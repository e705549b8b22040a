import * as z from 'zod';

/** What the provider answered to a change of its list of blocked users; `later`: it may have done it, and another try shows it. */
export type BlockAnswer =
  | { outcome: 'done' }
  | { outcome: 'refused'; code: number; title: string }
  /** `isUndone`: proven not to have happened. */
  | { outcome: 'later'; isUndone: boolean };

const blockBody = z.looseObject({
  block_users: z
    .looseObject({
      failed_users: z.array(
        z.looseObject({ errors: z.array(z.looseObject({ code: z.int(), message: z.string().optional() })).default([]) }),
      ),
    })
    .partial()
    .optional(),
  error: z.looseObject({ code: z.int(), message: z.string().default('') }).optional(),
});

/** Reads the answer for the one user of a request. The user's own error says more than the error of the call. */
export const readBlockAnswer = (status: number, body: unknown): BlockAnswer => {
  const parsed = blockBody.safeParse(body);
  const [own] = parsed.data?.block_users?.failed_users?.flatMap(({ errors }) => errors) ?? [];
  const error = own ?? parsed.data?.error;
  if (error === undefined) return status < 300 ? { outcome: 'done' } : { outcome: 'later', isUndone: false };
  if (throttles.has(error.code)) return { outcome: 'later', isUndone: true };
  if (interruptions.has(error.code) || (status >= 500 && own === undefined)) return { outcome: 'later', isUndone: false };
  return { outcome: 'refused', code: error.code, title: error.message ?? '' };
};

/** Too many calls, or a change of the list at the same moment. */
const throttles: ReadonlySet<number> = new Set([4, 80007, 130429, 139102]);
const interruptions: ReadonlySet<number> = new Set([1, 2, 131000, 131016, 139103]);

/** The provider's code where the user has not written in the last 24 hours, or is not on WhatsApp. */
export const notRecentCode = 131047;
