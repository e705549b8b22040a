import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, pathId, withSafeNumbers } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { sentComponent } from '../../messaging/contract/content-parts.ts';
import { link } from '../../messaging/contract/send-fields.ts';
import { templateComponentInput } from '../../messaging/contract/send-template.ts';
import { headerLocation } from './campaign-input.ts';
import { fieldNames, parameters } from './parameters.ts';
import { offerEnd, products } from './special-kinds.ts';

const renderBody = z
  .object({
    contact_id: id.optional().meta({ description: 'The contact whose fields fill the placeholders of parammatch.' }),
    components: withSafeNumbers(z.array(templateComponentInput).max(20, { error: 'Must have at most 20 components.' }))
      .optional()
      .meta({ description: 'The parameters in the form of sendTemplate. They or paramvalues and parammatch, the forms of a campaign.' }),
    paramvalues: parameters('Values of the placeholders, in the forms of createCampaign.').optional(),
    parammatch: fieldNames('Fields of the contact for the placeholders, in the forms of createCampaign.').optional(),
    media_url: link.optional().meta({ description: 'URL of the file of the header, with paramvalues and parammatch.' }),
    location: headerLocation.optional().meta({ description: 'The place of a LOCATION header, with paramvalues and parammatch.' }),
    offer_ends_at: offerEnd
      .optional()
      .meta({ description: 'When a limited-time offer ends, with paramvalues and parammatch. UTC without an offset.' }),
    products: products.optional().meta({ description: 'The products of a multi-product button, with paramvalues and parammatch.' }),
  })
  .refine(({ components, paramvalues, parammatch }) => components === undefined || (paramvalues ?? parammatch) === undefined, {
    error: 'Not together with paramvalues or parammatch.',
    path: ['components'],
  });
export type RenderInput = z.output<typeof renderBody>;

const nullableText = z.string().nullable();
const header = z
  .object({
    format: z.string().meta({ description: 'TEXT, IMAGE, VIDEO, DOCUMENT, LOCATION or PRODUCT.' }),
    text: nullableText.meta({ description: 'The text with its parameters; null for other formats.' }),
    link: nullableText.meta({ description: 'Where the file is, when it was given by URL.' }),
  })
  .nullable()
  .meta({ description: 'The header; null without one.' });
const body = nullableText.meta({ description: 'The body with its parameters; null without one.' });
const buttons = z
  .array(
    z
      .object({
        type: z.string().meta({ description: 'The kind of button, as in the template.' }),
        text: nullableText.meta({ description: 'The label; null where WhatsApp writes it.' }),
        url: nullableText.meta({ description: 'Where it leads, whole; null for other kinds.' }),
        phone_number: nullableText.meta({ description: 'The number to call; null for other kinds.' }),
        code: nullableText.meta({ description: 'The code to copy; null for other kinds.' }),
      })
      .meta({ id: 'RenderedButton' }),
  )
  .meta({ description: 'The buttons, in order.' });

const rendered = z
  .object({
    template_id: z.int().meta({ description: 'The id of the template.' }),
    text: z.string().meta({ description: 'The text of the message as listMessages would show it: the body with its parameters.' }),
    header,
    body,
    footer: nullableText.meta({ description: 'The footer; null without one.' }),
    buttons,
    cards: z.array(z.object({ header, body, buttons })).meta({ description: 'The cards of a carousel, in order.' }),
    components: z.array(sentComponent).meta({ description: 'What the provider would be sent: the components of sendTemplate.' }),
  })
  .meta({ id: 'RenderedTemplate', description: 'What a send would say.' });

export const renderRoutes = {
  renderTemplate: route({
    method: 'POST',
    path: '/api/v1/templates/{id}/render',
    summary: 'Show what a send would say',
    description:
      'Fills a template with values, and with the fields of a contact, as a send or a campaign does, and returns exactly the texts that the recipient would read. What a send would refuse is refused. Sends nothing.',
    caller: { kind: 'token', scope: 'messages:send', role: 'member' },
    limit: 'read',
    effect: 'read',
    params: z.object({ id: pathId }),
    body: renderBody.meta({ id: 'RenderTemplateRequest' }),
    answers: { 200: success(rendered) },
    refuses: ['time', 'template', 'media'],
    errors: ['validation_failed', 'not_found'],
  }),
};
