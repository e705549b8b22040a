import * as z from 'zod';
import { email, text } from '../../../shared/contract/fields.ts';
import { roles } from '../../../shared/contract/route.ts';

const role = z.enum(roles, { error: `Must be one of ${roles.join(', ')}.` });

export const userInput = z.object({ name: text(100, 1), email: email.transform((value) => value.toLowerCase()), role });
export type UserInput = z.input<typeof userInput>;
