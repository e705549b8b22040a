import * as z from 'zod';
import { id, text } from '../../../shared/contract/fields.ts';
import { scopes } from '../../../shared/contract/route.ts';

/** Lifetime of a token in days; null: it never expires (G15). */
const lifeDays = z
  .int({ error: 'Must be a whole number of days.' })
  .min(1, { error: 'Must be at least 1 day.' })
  .max(365, { error: 'Must be at most 365 days.' })
  .nullable();

/** Hours the former secret stays valid after a rotation (G15). */
export const overlapHours = z
  .int({ error: 'Must be a whole number of hours.' })
  .min(0, { error: 'Must not be negative.' })
  .max(168, { error: 'Must be at most 168 hours.' });

const label = text(100);

export const tokenInput = z.object({
  user_id: id,
  name: label.optional(),
  life_days: lifeDays.optional(),
  /** Default: all scopes of the user's role (G16). */
  scopes: z.array(z.enum(scopes, { error: `Must be one of ${scopes.join(', ')}.` })).optional(),
});
export type TokenInput = z.input<typeof tokenInput>;
