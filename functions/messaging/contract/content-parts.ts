import * as z from 'zod';

/** What an optional part is, where it is what the provider documents: a part in another form is passed on as it came. */
const part = <S extends z.ZodRawShape>(shape: S, description: string) => z.looseObject(shape).optional().meta({ description });

const sentParameter = z
  .looseObject({
    type: z.string().optional().meta({ description: '`text`, `image`, `payload` or another.' }),
    text: z.string().optional().meta({ description: 'The text.' }),
    parameter_name: z.string().optional().meta({ description: 'The name of a named placeholder.' }),
  })
  .meta({ id: 'SentTemplateParameter' });

/** The values of a template's placeholders, as the provider is sent them. */
export const sentComponent = z
  .looseObject({
    type: z.string().meta({ description: '`header`, `body`, `button`, `carousel` or `limited_time_offer`.' }),
    sub_type: z.string().optional().meta({ description: 'Of a button: `url`, `quick_reply`, `copy_code` or another.' }),
    index: z.union([z.string(), z.number()]).optional().meta({ description: 'Of a button: its position in the template, from 0.' }),
    parameters: z.array(sentParameter).optional().meta({ description: 'One for each placeholder.' }),
  })
  .meta({ id: 'SentTemplateComponent' });

const contactCard = z
  .looseObject({
    name: z
      .looseObject({ formatted_name: z.string().optional().meta({ description: 'The whole name.' }) })
      .optional()
      .meta({ description: 'The name, whole and in parts.' }),
    phones: z
      .array(
        z.looseObject({
          phone: z.string().optional().meta({ description: 'The number, as it is shown.' }),
          type: z.string().optional().meta({ description: 'What it is for.' }),
          wa_id: z.string().optional().meta({ description: 'Its digits, where it is on WhatsApp.' }),
        }),
      )
      .optional()
      .meta({ description: 'Phone numbers.' }),
    emails: z
      .array(
        z.looseObject({
          email: z.string().optional().meta({ description: 'The address.' }),
          type: z.string().optional().meta({ description: 'What it is for.' }),
        }),
      )
      .optional()
      .meta({ description: 'Email addresses.' }),
  })
  .meta({ id: 'SharedContactCard' });

const orderedProduct = z
  .looseObject({
    product_retailer_id: z.string().optional().meta({ description: 'The id of the product in the catalog.' }),
    quantity: z.union([z.number(), z.string()]).optional().meta({ description: 'How many.' }),
    item_price: z.union([z.number(), z.string()]).optional().meta({ description: 'The price of one.' }),
    currency: z.string().optional().meta({ description: 'ISO 4217 currency.' }),
  })
  .meta({ id: 'OrderedProduct' });

/**
 * The parts of a message beside its text, in the provider's form: of an inbound message what the customer pressed, chose or sent; of an outbound one
 * what was sent. By its subtype a message has the part of that name, and any message may have `context`, `referral` and `group_id`. The
 * provider adds kinds and fields without notice.
 */
export const messageParts = z
  .looseObject({
    button: part(
      {
        payload: z.string().optional().meta({ description: 'What the send gave the button.' }),
        text: z.string().optional().meta({ description: 'Its label.' }),
      },
      'A quick reply of a template that the customer pressed.',
    ),
    button_reply: part(
      {
        id: z.string().optional().meta({ description: 'The id that you gave the button.' }),
        title: z.string().optional().meta({ description: 'Its label.' }),
      },
      'A button of a free-form message that the customer pressed.',
    ),
    list_reply: part(
      {
        id: z.string().optional().meta({ description: 'The id that you gave the row.' }),
        title: z.string().optional().meta({ description: 'Its title.' }),
        description: z.string().optional().meta({ description: 'The line below the title.' }),
      },
      'A row of a list that the customer chose.',
    ),
    nfm_reply: part(
      {
        name: z.string().optional().meta({ description: 'The kind of form.' }),
        body: z.string().optional().meta({ description: 'What the phone shows of the answer.' }),
      },
      'The answer to a flow; the fields are JSON text in `value`.',
    ),
    location: part(
      {
        latitude: z.number().optional().meta({ description: 'Degrees north.' }),
        longitude: z.number().optional().meta({ description: 'Degrees east.' }),
        name: z.string().optional().meta({ description: 'The name of the place.' }),
        address: z.string().optional().meta({ description: 'The address of the place.' }),
      },
      'A place.',
    ),
    contacts: z.array(contactCard).optional().meta({ description: 'Contact cards: names, phones, emails, addresses.' }),
    order: part(
      {
        text: z.string().optional().meta({ description: 'What the customer wrote with the order.' }),
        product_items: z.array(orderedProduct).optional().meta({ description: 'The products, with quantity, price and currency.' }),
      },
      'An order from the catalog.',
    ),
    interactive: part(
      { type: z.string().optional().meta({ description: 'Its kind.' }) },
      'An interactive message that was sent, or an answer of another kind.',
    ),
    template: part(
      {
        name: z.string().optional().meta({ description: 'Its name.' }),
        components: z.array(sentComponent).optional().meta({ description: 'The values of its placeholders, by part.' }),
      },
      'The template that was sent, with its values.',
    ),
    reaction: part(
      {
        message_id: z.string().optional().meta({ description: 'The wamid of the message that it is about.' }),
        emoji: z.string().optional().meta({ description: 'The emoji; empty where a reaction was taken back.' }),
      },
      'A reaction that was sent.',
    ),
    referral: part({}, 'The advertisement or post that the customer came from.'),
    context: part({}, 'Whether it was forwarded, and the product it is about.'),
    group_id: z.string().optional().meta({ description: 'The group that it was written in.' }),
  })
  .meta({ id: 'MessageContent', description: 'The parts of a message beside its text, by kind.' });
