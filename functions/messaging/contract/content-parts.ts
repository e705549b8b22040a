import * as z from 'zod';

/** What an optional part is, where it is what the provider documents: a part in another form is passed on as it came. */
const part = <S extends z.ZodRawShape>(shape: S, description: string) => z.looseObject(shape).optional().meta({ description });

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
    contacts: z.array(z.looseObject({})).optional().meta({ description: 'Contact cards: names, phones, emails, addresses.' }),
    order: part(
      {
        text: z.string().optional().meta({ description: 'What the customer wrote with the order.' }),
        product_items: z.array(z.looseObject({})).optional().meta({ description: 'The products, with quantity, price and currency.' }),
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
        components: z.array(z.looseObject({})).optional().meta({ description: 'The values of its placeholders, by part.' }),
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
