import type { Message } from '../../../client/client.ts';

/** What a message's `content` has, in the form of the provider: nothing of it is taken for granted. */
export const record = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : undefined;
export const textIn = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const fileNameOf = ({ media }: Pick<Message, 'media'>): string | undefined => textIn(media?.filename);

/** The words below a file; where there are none, the product stores the name of the file as the text, and the contact sees none. */
export const captionOf = ({ media, value }: Pick<Message, 'media' | 'value'>): string =>
  textIn(media?.caption) ?? (value === media?.filename ? '' : value);

interface Card {
  name: string;
  phones: string[];
  emails: string[];
  company: string | undefined;
}

export const cardsIn = (content: Message['content']): Card[] => {
  const cards = listIn(content?.['contacts']).map((each): Card => {
    const card = record(each);
    const phones = listIn(card?.['phones']).flatMap((phone) => textIn(record(phone)?.['phone']) ?? textIn(record(phone)?.['wa_id']) ?? []);
    const emails = listIn(card?.['emails']).flatMap((email) => textIn(record(email)?.['email']) ?? []);
    const company = textIn(record(card?.['org'])?.['company']);
    return { name: textIn(record(card?.['name'])?.['formatted_name']) ?? phones[0] ?? '', phones, emails, company };
  });
  return cards.filter(({ name }) => name !== '');
};

interface Order {
  items: { product: string; quantity: number; price: number | undefined; currency: string | undefined }[];
  /** By currency, in the order of the items. */
  totals: { total: number; currency: string }[];
  note: string | undefined;
}

export const orderIn = (content: Message['content']): Order => {
  const order = record(content?.['order']);
  const products = listIn(order?.['product_items']).map((each) => record(each));
  const items = products.map((item) => ({
    product: textIn(item?.['product_retailer_id']) ?? '',
    quantity: Number(item?.['quantity'] ?? 1),
    price: item?.['item_price'] === undefined ? undefined : Number(item['item_price']),
    currency: textIn(item?.['currency']),
  }));
  const sums = new Map<string, number>();
  for (const { quantity, price = 0, currency } of items)
    if (currency !== undefined) sums.set(currency, (sums.get(currency) ?? 0) + quantity * price);
  return { items, totals: [...sums].map(([currency, total]) => ({ total, currency })), note: textIn(order?.['text']) };
};

/** What a message offers to press or to choose from, in the order in which it stands there. */
export interface Offered {
  /** The provider's name of its kind: `button`, `list`, `flow`, `location_request_message` ... */
  kind: string;
  footer: string | undefined;
  labels: string[];
  list: { name: string; rows: string[] } | undefined;
  cards: { key: string; text: string; labels: string[] }[];
  products: number;
}

export const offeredIn = (content: Message['content']): Offered | undefined => {
  const interactive = record(content?.['interactive']);
  const action = record(interactive?.['action']);
  if (!interactive || !action) return undefined;
  const sections = listIn(action['sections']).map((each) => record(each));
  const listName = textIn(action['button']);
  const products = sections.reduce((count, section) => count + listIn(section?.['product_items']).length, 0);
  return {
    kind: textIn(interactive['type']) ?? '',
    footer: textIn(record(interactive['footer'])?.['text']),
    labels: labelsIn(action),
    list:
      listName === undefined
        ? undefined
        : {
            name: listName,
            rows: sections.flatMap((section) => listIn(section?.['rows']).flatMap((row) => textIn(record(row)?.['title']) ?? [])),
          },
    cards: listIn(action['cards']).map((each, index) => {
      const card = record(each);
      return { key: String(index), text: textIn(record(card?.['body'])?.['text']) ?? '', labels: labelsIn(record(card?.['action'])) };
    }),
    products: products + Number(textIn(action['product_retailer_id']) !== undefined),
  };
};

/** The labels of buttons: quick replies, a link, what opens a flow. */
const labelsIn = (action: ReturnType<typeof record>): string[] => {
  const replies = listIn(action?.['buttons']).map((each) => record(record(each)?.['reply'] ?? record(each)?.['quick_reply'])?.['title']);
  const { display_text: link, flow_cta: flow } = record(action?.['parameters']) ?? {};
  return [...replies, link, flow].flatMap((each) => textIn(each) ?? []);
};
