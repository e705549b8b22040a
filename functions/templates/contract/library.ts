import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, safeNumber, text, withSafeNumbers } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

/** Templates that the provider has written: they are approved at once, because only their variables and the values of their buttons are the company's. */

const flag = z.boolean({ error: 'Must be true or false.' }).optional();
const word = text(64, 1);

const buttonInputs = z
  .array(
    z
      .looseObject({
        type: word.meta({ description: 'URL, PHONE_NUMBER or OTP, as the button of the library template.' }),
        url: z
          .looseObject({
            base_url: text(2_000, 1).meta({ description: 'Where the button leads. It may end in {{1}}.' }),
            url_suffix_example: text(2_000, 1).optional().meta({ description: 'An example of the whole URL, where it ends in {{1}}.' }),
          })
          .optional()
          .meta({ description: 'Of a URL button.' }),
        phone_number: text(40, 1).optional().meta({ description: 'Of a PHONE_NUMBER button: the number to call.' }),
        otp_type: word.optional().meta({ description: 'Of an OTP button: COPY_CODE, ONE_TAP or ZERO_TAP.' }),
      })
      .meta({ id: 'LibraryButtonInput' }),
    { error: 'Must be a list of inputs.' },
  )
  .max(10, { error: 'Must have at most 10 inputs.' });

/** What the buttons of a library template are filled with, in their order. */
export const libraryButtonInputs = withSafeNumbers(buttonInputs);
export type LibraryButtonInput = z.output<typeof libraryButtonInputs>[number];

/** What is added to the body of some library templates. */
export const libraryBodyInputs = z
  .strictObject({
    add_contact_number: flag.meta({ description: 'Adds how to reach the company.' }),
    add_learn_more_link: flag.meta({ description: 'Adds a link to more information.' }),
    add_security_recommendation: flag.meta({ description: 'Of an authentication template: adds a security notice.' }),
    add_track_package_link: flag.meta({ description: 'Adds a link to the tracking of a parcel.' }),
    code_expiration_minutes: safeNumber.optional().meta({ description: 'Of an authentication template: minutes until the code expires.' }),
  })
  .meta({ id: 'LibraryBodyInputs' });

const shown = z.string().nullable();
const libraryTemplate = z
  .object({
    name: z.string().meta({ description: 'Its name in the library: `library_template_name` of createTemplate.' }),
    language: z.string().meta({ description: 'The language, as `en_US`.' }),
    category: z.string().meta({ description: 'UTILITY or AUTHENTICATION.' }),
    topic: shown.meta({ description: 'What it is about, as ORDER_MANAGEMENT; null when the provider does not say.' }),
    use_case: shown.meta({ description: 'What it is for, as DELIVERY_UPDATE; null when the provider does not say.' }),
    industries: z.array(z.string()).meta({ description: 'Who uses it, as E_COMMERCE.' }),
    header: shown.meta({ description: 'The text of the header; null without one.' }),
    body: z.string().meta({ description: 'The text, with its variables.' }),
    body_examples: z.array(z.string()).meta({ description: 'An example of each variable.' }),
    body_types: z
      .array(z.string())
      .meta({ description: 'What each variable takes: TEXT, AMOUNT, DATE, PHONE NUMBER, EMAIL, NUMBER or ADDRESS.' }),
    buttons: z
      .array(
        z
          .looseObject({
            type: z.string().meta({ description: 'The kind of button. URL and PHONE_NUMBER need an input.' }),
            text: shown.meta({ description: 'The label; null without one.' }),
          })
          .meta({ id: 'LibraryButton' }),
      )
      .meta({ description: 'The buttons, in order.' }),
  })
  .meta({ id: 'LibraryTemplate' });
export type LibraryTemplate = z.output<typeof libraryTemplate>;

export const libraryRoutes = {
  listTemplateLibrary: route({
    caller: { kind: 'token', scope: 'templates:read', role: 'viewer' },
    limit: 'read',
    effect: 'read',
    method: 'GET',
    path: '/api/v1/templates/library',
    summary: 'List templates of the library',
    description:
      "Reads the provider's library of templates that are written already, 50 at most: narrow them by words, topic or language. createTemplate makes one the company's own by `library_template_name`; it is APPROVED at once.",
    query: z.object({
      search: text(100, 1).optional().meta({ description: 'Words in its name or text.', example: 'delivery' }),
      language: text(20, 1).optional().meta({ description: 'Only of this language, as `en_US`.' }),
      topic: word.optional().meta({ description: 'Only of this topic, as ORDER_MANAGEMENT.' }),
      use_case: word.optional().meta({ description: 'Only for this, as DELIVERY_UPDATE.' }),
      industry: word.optional().meta({ description: 'Only of this industry, as E_COMMERCE.' }),
      number_id: id.optional().meta({ description: 'A number whose access reads it. Default: the default number of the company.' }),
    }),
    answers: {
      200: success(
        z.object({
          templates: z.array(libraryTemplate).meta({ description: 'The templates, in the order of the provider.' }),
          is_complete: z.boolean().meta({ description: 'False: there are more, which a narrower search shows.' }),
        }),
      ),
    },
    errors: ['validation_failed', 'number_missing', 'provider_rejected', 'temporarily_unavailable'],
  }),
};
export type LibraryQuery = z.output<(typeof libraryRoutes)['listTemplateLibrary']['query']>;
