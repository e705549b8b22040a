import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';
import { link, idText, recipientFields, sendOptions, toRecipient } from './send-fields.ts';

/** The cards of people or companies, in the form in which inbound messages have them. Limits are the provider's. */
const part = text(200, 1).optional();
const use = text(30, 1).optional();
const listOf = <S extends z.ZodType>(element: S, most: number) =>
  z
    .array(element, { error: 'Must be a list.' })
    .max(most, { error: `Must have at most ${most} elements.` })
    .optional();

const nameParts = ['first_name', 'last_name', 'middle_name', 'prefix', 'suffix'] as const;

const card = z
  .object(
    {
      name: z
        .object(
          {
            formatted_name: text(200, 1).meta({ description: 'The whole name, as it is shown.' }),
            first_name: part.meta({ description: 'The first name. The provider wants at least one part of the name beside the whole.' }),
            last_name: part.meta({ description: 'The last name.' }),
            middle_name: part.meta({ description: 'The middle name.' }),
            prefix: part.meta({ description: 'What stands before the name: a title.' }),
            suffix: part.meta({ description: 'What stands after the name.' }),
          },
          { error: 'Must be an object with formatted_name and a part of the name.' },
        )
        .refine((name) => nameParts.some((each) => name[each] !== undefined), {
          error: `Must have one of ${nameParts.join(', ')} beside formatted_name.`,
        })
        .meta({ description: 'The name, whole and in parts.' }),
      phones: listOf(
        z.object({
          phone: text(40, 1).meta({ description: 'The number, as it is shown.' }),
          type: use.meta({ description: 'What it is for: `WORK`, `HOME`, `CELL` ...' }),
          wa_id: idText(20).optional().meta({
            description: 'Its digits with country code, where it is on WhatsApp: then the recipient can write to it with one tap.',
          }),
        }),
        20,
      ).meta({ description: 'Up to 20 phone numbers.' }),
      emails: listOf(
        z.object({
          email: text(254, 1).meta({ description: 'The address.' }),
          type: use.meta({ description: 'What it is for: `WORK`, `HOME` ...' }),
        }),
        20,
      ).meta({ description: 'Up to 20 email addresses.' }),
      urls: listOf(
        z.object({
          url: link.meta({ description: 'The address.' }),
          type: use.meta({ description: 'What it is for: `WORK`, `HOME` ...' }),
        }),
        20,
      ).meta({ description: 'Up to 20 addresses of websites.' }),
      addresses: listOf(
        z.object({
          street: part.meta({ description: 'Street and number.' }),
          city: part.meta({ description: 'The city.' }),
          state: part.meta({ description: 'The state or region.' }),
          zip: part.meta({ description: 'The postal code.' }),
          country: part.meta({ description: 'The country.' }),
          country_code: text(2, 2).optional().meta({ description: 'Its code of two letters.' }),
          type: use.meta({ description: 'What it is for: `WORK`, `HOME` ...' }),
        }),
        20,
      ).meta({ description: 'Up to 20 postal addresses.' }),
      org: z
        .object({
          company: part.meta({ description: 'The company.' }),
          department: part.meta({ description: 'The department.' }),
          title: part.meta({ description: 'The position.' }),
        })
        .optional()
        .meta({ description: 'Where the person works.' }),
      birthday: z
        .string({ error: 'Must be a date as YYYY-MM-DD.' })
        .refine((day) => /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)), { error: 'Must be a date as YYYY-MM-DD.' })
        .meta({ override: { type: 'string', format: 'date' } })
        .optional()
        .meta({ description: 'The birthday: YYYY-MM-DD.' }),
    },
    { error: 'Must be an object with a name.' },
  )
  .meta({ id: 'ContactCard' });

const maxCardChars = 50_000;

export const contactsBody = toRecipient(
  z.object({
    ...recipientFields,
    contacts: z
      .array(card, { error: 'Must be a list of cards.' })
      .min(1, { error: 'Must have at least one card.' })
      .max(257, { error: 'Must have at most 257 cards.' })
      // they are stored with the message, in one item
      .refine((cards) => JSON.stringify(cards).length <= maxCardChars, { error: `Must have at most ${maxCardChars} characters as JSON.` })
      .meta({ description: 'The cards: 1 to 257, of 50,000 characters together.' }),
    ...sendOptions,
  }),
);
export type ContactsInput = z.output<typeof contactsBody>;
