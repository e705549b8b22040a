import * as z from 'zod';
import { text } from '../../../shared/contract/fields.ts';
import { httpsLink, idText, link, recipientFields, sendOptions, toRecipient } from './send-fields.ts';

/** The kinds of interactive messages beside quick replies, links and lists, by `type`. Limits are the provider's. */
const label = (most: number) => text(most, 1);
const catalogId = idText(40).meta({ description: "The provider's id of the catalog, which is linked to the business account." });
const productId = idText(100);

const locationRequest = z
  .strictObject({ type: z.literal('location_request').meta({ description: 'A button with which the recipient sends the own location.' }) })
  .meta({ id: 'LocationRequest' });

const contactRequest = z
  .strictObject({
    type: z.literal('contact_request').meta({ description: 'A button with which the recipient shares the own phone number.' }),
  })
  .meta({ id: 'ContactRequest' });

const flow = z
  .strictObject({
    type: z.literal('flow').meta({ description: 'A button that opens a flow: a form of the provider.' }),
    flow_id: idText(40).optional().meta({ description: "The provider's id of the flow; or give `flow_name`." }),
    flow_name: label(200).optional().meta({ description: 'The name of the flow; or give `flow_id`.' }),
    button: label(30).meta({ description: 'The label of the button that opens it, up to 30 characters.' }),
    flow_token: label(200).optional().meta({ description: 'A text that the reply carries. By default one that is unique to the request.' }),
    mode: z
      .enum(['draft', 'published'], { error: 'Must be draft or published.' })
      .optional()
      .meta({ description: '`draft` sends a flow that is not published yet; `published` by default.' }),
    flow_action: z
      .enum(['navigate', 'data_exchange'], { error: 'Must be navigate or data_exchange.' })
      .optional()
      .meta({ description: '`navigate`, the default, opens `screen`; with `data_exchange` the endpoint of the flow says which.' }),
    screen: label(200).optional().meta({ description: 'The id of the first screen; required with `navigate`.' }),
    data: z
      .record(z.string(), z.unknown(), { error: 'Must be an object.' })
      .refine((data) => Object.keys(data).length > 0, { error: 'Must not be empty.' })
      .optional()
      .meta({ description: 'What the first screen shows.' }),
  })
  .meta({ id: 'FlowMessage' });

const product = z
  .strictObject({
    type: z.literal('product').meta({ description: 'One product of a catalog.' }),
    catalog_id: catalogId,
    product_id: productId.meta({ description: 'The id of the product in the catalog: its `retailer_id`.' }),
  })
  .meta({ id: 'ProductMessage' });

const productList = z
  .strictObject({
    type: z.literal('product_list').meta({ description: 'Up to 30 products of a catalog, in sections. It needs a header.' }),
    catalog_id: catalogId,
    sections: z
      .array(
        z.object(
          {
            title: label(24)
              .optional()
              .meta({ description: 'The title of the section, up to 24 characters; required with several sections.' }),
            product_ids: z
              .array(productId, { error: 'Must be a list of ids.' })
              .min(1, { error: 'Must have at least one product.' })
              .max(30, { error: 'Must have at most 30 products.' })
              .meta({ description: 'The ids of the products in the catalog.' }),
          },
          { error: 'Must be an object with title and product_ids.' },
        ),
        { error: 'Must be a list of sections.' },
      )
      .min(1, { error: 'Must have at least one section.' })
      .max(10, { error: 'Must have at most 10 sections.' })
      .meta({ description: 'Up to 10 sections, with up to 30 products in all.' }),
  })
  .meta({ id: 'ProductListMessage' });

const catalog = z
  .strictObject({
    type: z.literal('catalog').meta({ description: 'A button that opens the catalog of the business account.' }),
    thumbnail_product_id: productId.optional().meta({ description: 'The product whose picture is shown; the first one by default.' }),
  })
  .meta({ id: 'CatalogMessage' });

/** The fields of the provider's address form. */
const addressFields = {
  name: 'The name of the recipient.',
  phone_number: 'The phone number for the delivery.',
  in_pin_code: 'The postal code in India.',
  sg_post_code: 'The postal code in Singapore.',
  house_number: 'The number of the house.',
  floor_number: 'The number of the floor.',
  tower_number: 'The number of the tower.',
  unit_number: 'The number of the unit.',
  building_name: 'The name of the building.',
  address: 'The street.',
  landmark_area: 'A landmark or area.',
  city: 'The city.',
  state: 'The state.',
} as const;
const addressOf = (most: number) =>
  z.object(
    Object.fromEntries(
      Object.entries(addressFields).map(([name, description]) => [name, label(most).optional().meta({ description })]),
    ) as Record<keyof typeof addressFields, z.ZodOptional<ReturnType<typeof label>>>,
    { error: 'Must be an object.' },
  );
const addressValues = addressOf(200).meta({ id: 'AddressFields' });

const address = z
  .strictObject({
    type: z.literal('address').meta({ description: 'A form for an address. The provider has it in India and Singapore.' }),
    country: z.enum(['IN', 'SG'], { error: 'Must be IN or SG.' }).meta({ description: 'The country of the form: `IN` or `SG`.' }),
    values: addressValues.optional().meta({ description: 'What the form is filled with.' }),
    saved_addresses: z
      .array(
        z.object({
          id: label(100).meta({ description: 'What the reply carries.' }),
          value: addressValues.meta({ description: 'The address.' }),
        }),
        { error: 'Must be a list.' },
      )
      .max(10, { error: 'Must have at most 10 addresses.' })
      .optional()
      .meta({ description: 'Addresses to choose from.' }),
    validation_errors: addressValues
      .optional()
      .meta({ description: 'Why a field of an earlier answer was not taken: a sentence by field.' }),
  })
  .meta({ id: 'AddressMessage' });

const quickReply = z.object({
  id: idText(256).optional().meta({ description: 'What the reply webhook carries; `card_1_btn_1` ... by default.' }),
  title: label(20).meta({ description: 'The label, up to 20 characters.' }),
});

const card = z
  .object(
    {
      image: link.optional().meta({ description: 'The URL of the image above the card; or give `video`. All cards have the same.' }),
      video: link.optional().meta({ description: 'The URL of the video above the card; or give `image`.' }),
      message: label(160)
        .refine((value) => value.split('\n').length <= 3, { error: 'Must have at most 2 line breaks.' })
        .optional()
        .meta({ description: 'The text of the card, up to 160 characters and 2 line breaks.' }),
      button_name: label(20).optional().meta({ description: 'The label of a call-to-action button; needs `button_url`.' }),
      button_url: httpsLink.optional().meta({ description: 'The https URL that the call-to-action button opens.' }),
      buttons: z
        .array(quickReply, { error: 'Must be a list of quick replies.' })
        .min(1, { error: 'Must have at least one quick reply.' })
        .max(3, { error: 'Must have at most 3 quick replies.' })
        .optional()
        .meta({ description: 'Quick replies in place of the link: the same number on each card.' }),
    },
    { error: 'Must be an object with image or video, and buttons.' },
  )
  .meta({ id: 'CarouselCard' });

const carousel = z
  .strictObject({
    type: z.literal('carousel').meta({ description: '2 to 10 cards with a picture or a video each.' }),
    cards: z
      .array(card, { error: 'Must be a list of cards.' })
      .min(2, { error: 'Must have at least 2 cards.' })
      .max(10, { error: 'Must have at most 10 cards.' })
      .meta({ description: '2 to 10 cards, each with one link or with as many quick replies as the others.' }),
  })
  .meta({ id: 'CarouselMessage' });

const maxInteractiveChars = 50_000;
const kinds = [locationRequest, contactRequest, flow, product, productList, catalog, address, carousel] as const;
const kindNames = kinds.map(({ shape }) => shape.type.value);

const interactive = z
  .discriminatedUnion('type', kinds, {
    error: ({ code }) => (code === 'invalid_union' ? `Must be one of ${kindNames.join(', ')}.` : 'Must be an object with a type.'),
  })
  // it is stored with the message, in one item
  .refine((given) => JSON.stringify(given).length <= maxInteractiveChars, {
    error: `Must have at most ${maxInteractiveChars} characters as JSON.`,
  });
export type Interactive = z.output<typeof interactive>;

export const interactiveBody = toRecipient(
  z.object({
    ...recipientFields,
    message: text(1_024, 1).meta({ description: 'The text, up to 1,024 characters.' }),
    header: text(60).optional().meta({ description: 'A title above the text of a flow or a product list, up to 60 characters.' }),
    footer: text(60)
      .optional()
      .meta({ description: 'A line below the text of a flow, a product, a product list or a catalog, up to 60 characters.' }),
    interactive: interactive.meta({ description: 'What the recipient can do, by `type`.' }),
    ...sendOptions,
  }),
);
export type InteractiveInput = z.output<typeof interactiveBody>;
