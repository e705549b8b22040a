/**
 * Shapes of the bodies that clients send. Loose where the real interface is loose: words are
 * read without regard to case, unknown keys pass, numbers may be strings. Limits are checked afterwards, because each has its own error.
 */
import * as z from 'zod';

const flag = z.union([z.boolean(), z.stringbool()]);
const figure = z.union([z.number(), z.string().regex(/^-?\d+(\.\d+)?$/)]);
const reference = z.union([z.string(), z.number()]).transform(String);

export const media = z.looseObject({
  id: reference.optional(),
  link: z.string().optional(),
  caption: z.string().optional(),
  filename: z.string().optional(),
});
export type Media = z.infer<typeof media>;

const header = withLowerCase(
  'type',
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({ type: z.literal('image'), image: media }),
    z.looseObject({ type: z.literal('video'), video: media }),
    z.looseObject({ type: z.literal('document'), document: media }),
  ]),
);
export type Header = z.infer<typeof header>;

const frame = {
  header: header.optional(),
  body: z.looseObject({ text: z.string() }),
  footer: z.looseObject({ text: z.string() }).optional(),
};

/** With one link, or with quick replies; its type is `cta_url` either way. */
const carouselCard = z.looseObject({
  card_index: figure,
  type: z.literal('cta_url'),
  header: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('image'), image: media }),
    z.looseObject({ type: z.literal('video'), video: media }),
  ]),
  body: z.looseObject({ text: z.string() }).optional(),
  action: z.looseObject({
    name: z.literal('cta_url').optional(),
    parameters: z.looseObject({ display_text: z.string(), url: z.string() }).optional(),
    buttons: z
      .array(z.looseObject({ type: z.literal('quick_reply'), quick_reply: z.looseObject({ id: reference, title: z.string() }) }))
      .optional(),
  }),
});
export type CarouselCard = z.infer<typeof carouselCard>;

const interactives = z.discriminatedUnion('type', [
  z.looseObject({
    ...frame,
    type: z.literal('button'),
    action: z.looseObject({
      buttons: z.array(z.looseObject({ type: z.string(), reply: z.looseObject({ id: reference, title: z.string() }) })),
    }),
  }),
  z.looseObject({
    ...frame,
    type: z.literal('list'),
    action: z.looseObject({
      button: z.string(),
      sections: z.array(
        z.looseObject({
          title: z.string().optional(),
          rows: z.array(z.looseObject({ id: reference, title: z.string(), description: z.string().optional() })),
        }),
      ),
    }),
  }),
  z.looseObject({
    ...frame,
    type: z.literal('cta_url'),
    action: z.looseObject({ name: z.literal('cta_url'), parameters: z.looseObject({ display_text: z.string(), url: z.string() }) }),
  }),
  z.looseObject({
    ...frame,
    type: z.literal('location_request_message'),
    action: z.looseObject({ name: z.literal('send_location') }),
  }),
  z.looseObject({
    ...frame,
    type: z.literal('flow'),
    action: z.looseObject({
      name: z.literal('flow'),
      parameters: z.looseObject({
        flow_message_version: reference,
        flow_id: reference.optional(),
        flow_name: z.string().optional(),
        flow_cta: z.string(),
        flow_token: z.string().optional(),
        mode: z.string().optional(),
        flow_action: z.string().optional(),
        flow_action_payload: z.unknown().optional(),
      }),
    }),
  }),
  z.looseObject({
    ...frame,
    type: z.literal('address_message'),
    action: z.looseObject({
      name: z.literal('address_message'),
      parameters: z.looseObject({ country: z.string(), values: z.looseObject({}).optional() }),
    }),
  }),
  z.looseObject({
    ...frame,
    type: z.literal('request_contact_info'),
    action: z.looseObject({ name: z.literal('request_contact_info') }),
  }),
  z.looseObject({
    ...frame,
    type: z.literal('product'),
    action: z.looseObject({ catalog_id: reference, product_retailer_id: reference }),
  }),
  z.looseObject({
    ...frame,
    type: z.literal('product_list'),
    action: z.looseObject({
      catalog_id: reference,
      sections: z.array(
        z.looseObject({ title: z.string().optional(), product_items: z.array(z.looseObject({ product_retailer_id: reference })) }),
      ),
    }),
  }),
  z.looseObject({
    ...frame,
    type: z.literal('catalog_message'),
    action: z.looseObject({
      name: z.literal('catalog_message'),
      parameters: z.looseObject({ thumbnail_product_retailer_id: reference.optional() }).optional(),
    }),
  }),
  z.looseObject({ ...frame, type: z.literal('carousel'), action: z.looseObject({ cards: z.array(carouselCard) }) }),
]);
/** Every kind of interactive message. */
export const interactiveTypes: readonly string[] = interactives.options.map(({ shape }) => shape.type.value);
const interactive = withLowerCase('type', interactives);
export type Interactive = z.infer<typeof interactive>;

const parameter = z.looseObject({ type: z.string().toLowerCase(), parameter_name: z.string().optional(), text: reference.optional() });
export type Parameter = z.infer<typeof parameter>;

const sentPart = z.looseObject({
  type: z.string().toLowerCase(),
  sub_type: z.string().toLowerCase().optional(),
  index: figure.optional(),
  parameters: z.array(parameter).optional(),
});
const sentComponent = sentPart.extend({
  cards: z.array(z.looseObject({ card_index: figure.optional(), components: z.array(sentPart).optional() })).optional(),
});
export type SentComponent = z.infer<typeof sentComponent>;

const template = z.looseObject({
  name: z.string(),
  language: z.looseObject({ code: z.string(), policy: z.string().optional() }),
  components: z.array(sentComponent).nullish(),
});
export type SentTemplate = z.infer<typeof template>;

const contactCard = z.looseObject({
  name: z.looseObject({ formatted_name: z.string() }),
  phones: z.array(z.looseObject({ phone: z.string().optional(), wa_id: reference.optional(), type: z.string().optional() })).optional(),
});

const envelope = {
  messaging_product: z.literal('whatsapp'),
  recipient_type: z.string().toLowerCase().optional(),
  to: reference.optional(),
  recipient: z.string().optional(),
  context: z.looseObject({ message_id: z.string() }).optional(),
  biz_opaque_callback_data: z.string().optional(),
};

const sendRequests = z.discriminatedUnion('type', [
  z.looseObject({ ...envelope, type: z.literal('text'), text: z.looseObject({ body: z.string(), preview_url: flag.optional() }) }),
  z.looseObject({ ...envelope, type: z.literal('image'), image: media }),
  z.looseObject({ ...envelope, type: z.literal('video'), video: media }),
  z.looseObject({ ...envelope, type: z.literal('audio'), audio: media.extend({ voice: flag.optional() }) }),
  z.looseObject({ ...envelope, type: z.literal('document'), document: media }),
  z.looseObject({ ...envelope, type: z.literal('sticker'), sticker: media }),
  z.looseObject({
    ...envelope,
    type: z.literal('location'),
    location: z.looseObject({ latitude: figure, longitude: figure, name: z.string().optional(), address: z.string().optional() }),
  }),
  z.looseObject({ ...envelope, type: z.literal('contacts'), contacts: z.array(contactCard) }),
  z.looseObject({
    ...envelope,
    type: z.literal('reaction'),
    reaction: z.looseObject({ message_id: z.string(), emoji: z.string().optional() }),
  }),
  z.looseObject({ ...envelope, type: z.literal('interactive'), interactive }),
  z.looseObject({ ...envelope, type: z.literal('template'), template }),
]);
/** Every type of message. */
export const messageTypes: readonly string[] = sendRequests.options.map(({ shape }) => shape.type.value);

/** `POST /{PHONE_ID}/messages`: every type of section 1.3 to 1.6. A body without a type is a text. */
export const sendRequest = withLowerCase('type', sendRequests, 'text');
export type SendRequest = z.infer<typeof sendRequest>;

/** The same path, marking a received message as read, with an optional typing indicator (section 1.7). */
export const readRequest = z.looseObject({
  messaging_product: z.literal('whatsapp'),
  status: z.literal('read'),
  message_id: z.string(),
  typing_indicator: z.looseObject({ type: z.literal('text') }).optional(),
});

/** Whatever may be posted to `/{PHONE_ID}/messages`. */
export const messagesRequest = z.union([readRequest, sendRequest]);

const upperWord = z.string().toUpperCase();

const button = z.looseObject({
  type: upperWord,
  text: z.string().optional(),
  url: z.string().optional(),
  phone_number: reference.optional(),
  example: z.union([z.string(), z.array(z.string())]).optional(),
  otp_type: upperWord.optional(),
  supported_apps: z.array(z.looseObject({ package_name: z.string(), signature_hash: z.string() })).optional(),
});
export type TemplateButton = z.infer<typeof button>;

const cardComponent = z.looseObject({
  type: upperWord,
  format: upperWord.optional(),
  text: z.string().optional(),
  example: z.looseObject({}).optional(),
  buttons: z.array(button).optional(),
});

export const templateComponent = cardComponent.extend({
  cards: z.array(z.looseObject({ components: z.array(cardComponent) })).optional(),
  limited_time_offer: z.looseObject({ text: z.string().optional(), has_expiration: flag.optional() }).optional(),
  add_security_recommendation: flag.optional(),
  code_expiration_minutes: z.number().optional(),
});
export type TemplateComponent = z.infer<typeof templateComponent>;

/** The max price for 1,000 deliveries, in the smallest unit of the account's currency (provider-2026 section 3.3). */
export const optimizationSpec = z.looseObject({ bid_amount: z.int().positive(), bid_strategy: z.literal('LOWEST_COST_WITH_BID_CAP') });

/** What a template may have beside its content on its way through the marketing messages API. */
export const marketingOptions = z.looseObject({
  product_policy: z.enum(['CLOUD_API_FALLBACK', 'STRICT']).optional(),
  bid_spec: z.looseObject({ per_message_bid_multiplier: z.number().min(0.1).max(10) }).optional(),
});
export type MarketingOptions = z.infer<typeof marketingOptions>;

/** `POST /{WABA_ID}/message_templates` (section 4.1). */
export const templateRequest = z.looseObject({
  name: z.string(),
  language: z.string(),
  category: upperWord,
  parameter_format: upperWord.optional(),
  components: z.array(templateComponent),
  message_send_ttl_seconds: z.number().int().optional(),
  optimization_spec: optimizationSpec.optional(),
});
export type TemplateRequest = z.infer<typeof templateRequest>;

/** `POST /{WABA_ID}/upsert_message_templates` (section 1.6). */
export const upsertRequest = templateRequest.omit({ language: true }).extend({ languages: z.array(z.string()).min(1) });

/** `POST /{TEMPLATE_ID}` (section 4.3). */
export const templateEdit = templateRequest
  .pick({ components: true, category: true, message_send_ttl_seconds: true, optimization_spec: true })
  .partial();

function withLowerCase<T extends z.ZodType>(key: string, schema: T, fallback?: string) {
  return z.preprocess((input) => {
    if (typeof input !== 'object' || input === null) return input;
    const word = Reflect.get(input, key) ?? fallback;
    return typeof word === 'string' ? { ...input, [key]: word.toLowerCase() } : input;
  }, schema);
}
