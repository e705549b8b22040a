import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { email, pathId, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { mostOfNumber as most } from '../domain/number-limits.ts';
import { verticals } from '../domain/vertical.ts';

/** What customers see of a number in WhatsApp. The provider has it. */
export const numberProfile = z
  .object({
    about: z.string().meta({ description: 'The line below the name.' }),
    address: z.string().meta({ description: 'The address of the business.' }),
    description: z.string().meta({ description: 'What the business does.' }),
    email: z.string().meta({ description: 'The address for mail.' }),
    websites: z.array(z.string()).meta({ description: 'Pages of the business.' }),
    vertical: z.string().nullable().meta({ description: 'The line of business, as RETAIL; null: none was chosen.' }),
    picture_url: z.string().nullable().meta({ description: 'The picture, for some time; null without one.' }),
  })
  .meta({ id: 'NumberProfile', description: 'The business profile of a number. Texts are empty where nothing is set.' });
export type NumberProfile = z.output<typeof numberProfile>;

const website = text(most.website, 1).refine((value) => /^https?:\/\//i.test(value) && URL.canParse(value), {
  error: 'Must be an http or https URL.',
});
const profileChanges = z
  .object({
    about: text(most.about, 1).meta({ description: 'The line below the name, up to 139 characters; it cannot be empty.' }),
    address: text(most.address).meta({ description: 'The address, up to 256 characters; empty clears it.' }),
    description: text(most.description).meta({ description: 'What the business does, up to 512 characters; empty clears it.' }),
    email: z.union([z.literal(''), text(most.email).pipe(email)], { error: 'Must be an email address, or empty.' }).meta({
      description: 'The address for mail, up to 128 characters; empty clears it.',
    }),
    websites: z
      .array(website, { error: 'Must be a list of URLs.' })
      .max(most.websites, { error: 'Must have at most 2 pages.' })
      .meta({ description: 'Up to 2 pages, each up to 256 characters; an empty list clears them.' }),
    vertical: z.enum(verticals, { error: `Must be one of ${verticals.join(', ')}.` }).meta({ description: 'The line of business.' }),
  })
  .partial()
  .refine((changes) => Object.values(changes).some((value) => value !== undefined), { error: 'Send at least one field.' });
export type NumberProfileChanges = z.output<typeof profileChanges>;

const path = '/api/v1/numbers/{id}/profile';
const params = z.object({ id: pathId.meta({ description: 'The id of the number.' }) });
const failures = ['not_found', 'provider_rejected', 'temporarily_unavailable'] as const;

export const numberProfileRoutes = {
  getNumberProfile: route({
    method: 'GET',
    path,
    summary: 'Get the business profile of a number',
    description: 'What customers see of the business in WhatsApp, as the provider has it now.',
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    params,
    answers: { 200: success(numberProfile) },
    errors: failures,
  }),
  updateNumberProfile: route({
    method: 'PUT',
    path,
    summary: 'Change the business profile of a number',
    description:
      'Changes the fields that are sent at the provider and leaves the others. The display name and the picture are changed in its own pages.',
    caller: { kind: 'token', scope: 'account:manage', role: 'admin' },
    params,
    body: profileChanges.meta({ id: 'UpdateNumberProfileRequest', minProperties: 1 }),
    answers: { 200: success(numberProfile) },
    errors: [...failures, 'validation_failed'],
  }),
};
