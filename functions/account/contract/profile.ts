import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';

/** Settings are merged key by key. The verification context defines their meaning and defaults (V1). */
export const profileInput = z.object({ name: text(100, 1), settings_json: z.record(z.string(), z.unknown()).optional() });
export type ProfileInput = z.input<typeof profileInput>;
