import type { Message } from '../../../client/client.ts';
import { listIn, record, textIn } from './message-data.ts';

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
