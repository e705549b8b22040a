import * as z from 'zod';
import { id, looseBoolean, text } from '../../../shared/contract/fields.ts';
import { file } from '../../../shared/contract/file.ts';
import { timezone } from '../../account/contract/timezone.ts';
import { fieldNames, parameters } from './parameters.ts';
import { offerEnd, products } from './special-kinds.ts';
import { audienceTypes, campaignTypes, exclusionReasons } from './stored.ts';
import { currencyCode } from '../../spend/contract/card.ts';

export const audienceType = z.enum(audienceTypes, { error: `Must be one of: ${audienceTypes.join(', ')}.` }).meta({ id: 'AudienceType' });
export const audience = {
  audience_type: audienceType.optional().meta({
    description: 'Who gets it. By default inferred from the id that is given, otherwise `all` contacts of the company.',
  }),
  group_id: id.nullish().meta({ description: 'The group, with audience_type `group`.' }),
  tag_id: id.nullish().meta({ description: 'The tag, with audience_type `tag`.' }),
  segment_id: id.nullish().meta({ description: 'The saved filter, with audience_type `segment`.' }),
  contact_id: id.nullish().meta({ description: 'The contact, with audience_type `contact`.' }),
};

const link = text(2_000, 1).refine((value) => /^https?:\/\/\S+$/i.test(value) && URL.canParse(value), {
  error: 'Must be an https address.',
});

const degrees = (most: number) =>
  z
    .number({ error: 'Must be a number of degrees.' })
    .min(-most, { error: `Must be between -${most} and ${most}.` })
    .max(most, { error: `Must be between -${most} and ${most}.` });
export const headerLocation = z
  .object({
    latitude: degrees(90).meta({ description: 'Degrees north.' }),
    longitude: degrees(180).meta({ description: 'Degrees east.' }),
    name: text(1_000, 1).meta({ description: 'The name of the place.' }),
    address: text(1_000, 1).meta({ description: 'The address of the place.' }),
  })
  .meta({ id: 'HeaderLocation' });
const spendLimit = z
  .object({
    amount: z
      .string({ error: 'Must be a decimal text, such as "320".' })
      .regex(/^\d{1,9}(\.\d{1,6})?$/, {
        error: 'Must be a decimal text such as "320", of at most nine digits and six decimals, not negative.',
      })
      .meta({ description: 'The most that the campaign may spend.', example: '320' }),
    currency: currencyCode.meta({ description: 'Its currency, which must have a rate card.' }),
  })
  .meta({ id: 'CampaignSpendLimit', description: 'The ceiling of a campaign.' });
const limitOfCampaign = spendLimit.optional().meta({
  description:
    'The most that the campaign may spend, at list prices. At the ceiling it pauses with the reason `spend_limit`. It is sent from one number then.',
});
const multiplierReason = 'Must be a number from 0.1 to 10, with at most two decimals.';
/** A text in a form. */
const maxPriceMultiplier = z
  .union([z.number(), z.string().trim().min(1, { error: multiplierReason }).transform(Number)], { error: multiplierReason })
  .refine((value) => value >= 0.1 && value <= 10 && Math.round(value * 100) / 100 === value, { error: multiplierReason })
  .meta({ override: { type: 'number', minimum: 0.1, maximum: 10 } });
const multiplierOfCampaign = maxPriceMultiplier.optional().meta({
  description:
    'Where the template has a max price: by what it is multiplied for the messages of this campaign, from 0.1 to 10. Default 1: the max price itself.',
  example: 1.5,
});
const campaignName = text(255, 1).meta({ description: 'The name, shown to your team only.' });
const sendTime = text(40).meta({ description: 'When to send: ISO 8601, at most 365 days ahead.' });
const localZone = timezone.optional().meta({ description: "IANA time zone of a send_time without an offset; the campaign's by default." });

/** What fills the placeholders of the template, and its header. */
export const contents = {
  paramvalues: parameters(
    'Values of the placeholders: by part of the template `{"body":{"1":"Ana"}}`, flat `{"1":"Ana"}`, or a list for the body. JSON text is accepted too. ' +
      'Those of the cards of a carousel are a list in `cards`, each with the `link` of its picture or video: `{"cards":[{"header":{"link":"https://..."},"body":{"1":"Ana"},"buttons":{"0":"rye"}}]}`; a card of a product has `product_id` and `catalog_id` in its header.',
  ).optional(),
  parammatch: fieldNames(
    'Fields of the contact for the placeholders, in the same forms: `{"1":"name","2":"custom.city"}`. Where the field is empty, paramvalues is the fallback.',
  ).optional(),
  media_url: link.optional().meta({ description: 'URL of the image, video or document of the template header.' }),
  media_id: text(40, 1).optional().meta({ description: 'The same file by upload: the id of a file that was uploaded with createUpload.' }),
  location: headerLocation.optional().meta({ description: 'The place of a LOCATION header.' }),
  offer_ends_at: offerEnd.optional().meta({
    description:
      'When the limited-time offer of the template ends: ISO 8601, after the campaign starts. It goes to none of those who remain then.',
  }),
  products: products.optional().meta({ description: 'The products that a multi-product button shows.' }),
};

export const campaignBody = z.object({
  name: campaignName,
  template_id: id.meta({ description: 'The approved template to send.' }),
  number_id: id.optional().meta({ description: 'The number to send from, at its own pace. Default: the default number of the company.' }),
  ...audience,
  send_now: looseBoolean.optional().meta({
    override: {
      type: 'boolean',
      description: 'Whether sending starts at once: true without send_time, false with it. True together with send_time is refused.',
    },
  }),
  send_time: text(40).nullish().meta({ description: 'When to send: ISO 8601, at most 365 days ahead. It alone schedules the campaign.' }),
  timezone: timezone.optional().meta({ description: "IANA time zone of a send_time without an offset; the company's by default." }),
  ...contents,
  prevent_template_duplicates: looseBoolean
    .optional()
    .meta({ override: { type: 'boolean', description: 'Leave out contacts that a campaign with this template has reached before.' } }),
  spend_limit: limitOfCampaign,
  max_price_multiplier: multiplierOfCampaign,
  type: z
    .enum(campaignTypes, { error: 'Must be bot, api or regular.' })
    .optional()
    .meta({ description: 'How the campaign was made; `regular` by default.' }),
  pdf: file.optional().meta({ description: 'The document of the template header, as a file (multipart/form-data).' }),
  imageupload: file.optional().meta({ description: 'The image or video of the template header, as a file (multipart/form-data).' }),
});
export type CampaignInput = z.output<typeof campaignBody>;

/** At least one field; time and audience only while the campaign waits for its time. */
export const campaignChanges = z
  .object({
    is_active: looseBoolean.optional().meta({ override: { type: 'boolean', description: 'False pauses the campaign, true resumes it.' } }),
    confirm_stale: looseBoolean
      .optional()
      .meta({ override: { type: 'boolean', description: 'Resume although send_time is more than 24 hours ago.' } }),
    name: campaignName.optional(),
    send_time: sendTime.optional(),
    timezone: localZone,
    spend_limit: spendLimit.nullable().optional().meta({
      description:
        'Raises or lowers the ceiling of the campaign, while it runs too; null removes it. Raised, a campaign that it paused continues.',
    }),
    max_price_multiplier: maxPriceMultiplier.nullable().optional().meta({
      description: 'By what the max price of the template is multiplied, while the campaign waits for its time; null: by nothing.',
    }),
    ...audience,
  })
  .refine(
    (given) =>
      Object.entries(given).some(
        ([field, value]) =>
          field !== 'confirm_stale' &&
          field !== 'timezone' &&
          (value != null || ((field === 'spend_limit' || field === 'max_price_multiplier') && value === null)),
      ),
    {
      error: 'Give is_active, or what is to change: name, send_time, audience, spend_limit, max_price_multiplier.',
      path: ['is_active'],
    },
  );
export type CampaignChanges = z.output<typeof campaignChanges>;

export const cloneBody = z.object({
  name: campaignName.optional().meta({ description: 'The name of the copy; by default that of the campaign with "(copy)".' }),
  send_now: looseBoolean.optional().meta({ override: { type: 'boolean', description: 'True sends the copy at once.' } }),
  send_time: sendTime.optional(),
  timezone: localZone,
  offer_ends_at: offerEnd
    .optional()
    .meta({ description: 'When the limited-time offer of the copy ends; by default as in the campaign, where that is still to come.' }),
  spend_limit: limitOfCampaign,
  max_price_multiplier: maxPriceMultiplier.nullable().optional().meta({
    description: 'By what the max price of the template is multiplied; by default as in the campaign. null: by nothing.',
  }),
  ...audience,
});
export type CloneInput = z.output<typeof cloneBody>;

export const previewBody = z.object({
  ...audience,
  template_id: id.optional().meta({ description: 'The template, for consent by its category and for missing parameters.' }),
  max_price_multiplier: multiplierOfCampaign,
  ...contents,
  prevent_template_duplicates: looseBoolean
    .optional()
    .meta({ override: { type: 'boolean', description: 'Leave out contacts that a campaign with this template has reached before.' } }),
  excluded_reason: z
    .enum(exclusionReasons, { error: `Must be one of: ${exclusionReasons.join(', ')}.` })
    .optional()
    .meta({
      description:
        'Lists in `excluded_contacts` who would be left out for this reason. Each call then looks at a part of the audience, as far as it lists 50 contacts at most.',
    }),
  cursor: text(2_000, 1).optional().meta({ description: 'The `next_cursor` of the part before, with the same body.' }),
});
export type PreviewInput = z.output<typeof previewBody>;
