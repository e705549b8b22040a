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
}

export const cardsIn = (content: Message['content']): Card[] => {
  const cards = listIn(content?.['contacts']).map((each): Card => {
    const card = record(each);
    const phones = listIn(card?.['phones']).flatMap((phone) => textIn(record(phone)?.['phone']) ?? textIn(record(phone)?.['wa_id']) ?? []);
    return { name: textIn(record(card?.['name'])?.['formatted_name']) ?? phones[0] ?? '', phones };
  });
  return cards.filter(({ name }) => name !== '');
};

interface Order {
  items: { product: string; quantity: number }[];
  total: number;
  currency: string | undefined;
  note: string | undefined;
}

export const orderIn = (content: Message['content']): Order => {
  const order = record(content?.['order']);
  const products = listIn(order?.['product_items']).map((each) => record(each));
  const items = products.map((item) => ({
    product: textIn(item?.['product_retailer_id']) ?? '',
    quantity: Number(item?.['quantity'] ?? 1),
  }));
  const total = products.reduce((sum, item) => sum + Number(item?.['quantity'] ?? 1) * Number(item?.['item_price'] ?? 0), 0);
  return { items, total, currency: textIn(products[0]?.['currency']), note: textIn(order?.['text']) };
};
