import type { FieldErrors } from '../../../shared/contract/problems.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import type { Interactive, InteractiveInput } from '../contract/send-interactive.ts';
import { messageTypes } from '../contract/stored.ts';
import type { Composition } from './compose-text.ts';

type KindName = Interactive['type'];
type Of<K extends KindName> = Extract<Interactive, { type: K }>;

/** What a composition needs that its request does not say. */
interface Surroundings {
  /** The `flow_token` where the caller gives none. */
  flowToken: string;
  /** Whether a URL may be passed to the provider. */
  isPublic: (url: string) => boolean;
}

interface Kind<K extends KindName> {
  /** The provider's name of it. */
  name: string;
  header: 'none' | 'optional' | 'required';
  footer: boolean;
  action: (given: Of<K>, surroundings: Surroundings) => Record<string, unknown>;
  /** Rules between its fields, by field. */
  check?: (given: Of<K>, surroundings: Surroundings) => FieldErrors;
}

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/interactive-messages */
const kinds: { readonly [K in KindName]: Kind<K> } = {
  location_request: { name: 'location_request_message', header: 'none', footer: false, action: () => ({ name: 'send_location' }) },
  contact_request: { name: 'request_contact_info', header: 'none', footer: false, action: () => ({ name: 'request_contact_info' }) },
  flow: { name: 'flow', header: 'optional', footer: true, action: flowAction, check: checkFlow },
  product: {
    name: 'product',
    header: 'none',
    footer: true,
    action: ({ catalog_id, product_id }) => ({ catalog_id, product_retailer_id: product_id }),
  },
  product_list: { name: 'product_list', header: 'required', footer: true, action: productListAction, check: checkProductList },
  catalog: {
    name: 'catalog_message',
    header: 'none',
    footer: true,
    action: ({ thumbnail_product_id: id }) => ({
      name: 'catalog_message',
      ...(id === undefined ? {} : { parameters: { thumbnail_product_retailer_id: id } }),
    }),
  },
  address: {
    name: 'address_message',
    header: 'none',
    footer: false,
    action: ({ type: _type, ...parameters }) => ({ name: 'address_message', parameters: defined(parameters) }),
  },
  carousel: { name: 'carousel', header: 'none', footer: false, action: carouselAction, check: checkCarousel },
};

/** The content of an interactive send: the rules of its kind, and its form at the provider. */
export const composeInteractive = (input: InteractivePart, surroundings: Surroundings): Composition =>
  composeKind(input, input.interactive, surroundings);

type InteractivePart = Pick<InteractiveInput, 'message' | 'header' | 'footer' | 'interactive'>;

function composeKind<K extends KindName>(input: InteractivePart, given: Of<K>, surroundings: Surroundings): Composition {
  const kind: Kind<K> = kinds[given.type as K];
  const { message, header, footer } = input;
  const errors: FieldErrors = {
    ...(header && kind.header === 'none' ? { header: [`A message of the type ${given.type} has none.`] } : {}),
    ...(!header && kind.header === 'required' ? { header: [`Required with the type ${given.type}.`] } : {}),
    ...(footer && !kind.footer ? { footer: [`A message of the type ${given.type} has none.`] } : {}),
    ...Object.fromEntries(
      Object.entries(kind.check?.(given, surroundings) ?? {}).map(([field, reasons]) => [`interactive.${field}`, reasons]),
    ),
  };
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  const interactive = {
    type: kind.name,
    ...(header ? { header: { type: 'text', text: header } } : {}),
    body: { text: message },
    ...(footer ? { footer: { text: footer } } : {}),
    action: kind.action(given, surroundings),
  };
  return {
    ok: true,
    message: {
      type: messageTypes.text,
      subtype: given.type,
      value: message,
      payload: { type: 'interactive', interactive },
      media: undefined,
    },
  };
}

function flowAction(given: Of<'flow'>, { flowToken }: Surroundings): Record<string, unknown> {
  const { flow_id, flow_name, button, flow_token = flowToken, mode, flow_action = 'navigate', screen, data } = given;
  const parameters = {
    flow_message_version: '3',
    flow_id,
    flow_name,
    flow_cta: button,
    flow_token,
    mode,
    flow_action,
    flow_action_payload: screen === undefined ? undefined : defined({ screen, data }),
  };
  return { name: 'flow', parameters: defined(parameters) };
}

function checkFlow({ flow_id, flow_name, flow_action = 'navigate', screen, data }: Of<'flow'>): FieldErrors {
  const isNavigation = flow_action === 'navigate';
  return {
    ...(flow_id === undefined && flow_name === undefined ? { flow_id: ['One of flow_id and flow_name is required.'] } : {}),
    ...(flow_id !== undefined && flow_name !== undefined ? { flow_name: ['Not together with flow_id.'] } : {}),
    ...(isNavigation && screen === undefined ? { screen: ['Required with navigate.'] } : {}),
    ...(!isNavigation && screen !== undefined ? { screen: ['Not with data_exchange: the endpoint of the flow says it.'] } : {}),
    ...(!isNavigation && data !== undefined ? { data: ['Not with data_exchange: the endpoint of the flow says it.'] } : {}),
  };
}

function productListAction({ catalog_id, sections }: Of<'product_list'>): Record<string, unknown> {
  return {
    catalog_id,
    sections: sections.map(({ title, product_ids: ids }) => ({
      ...(title === undefined ? {} : { title }),
      product_items: ids.map((id) => ({ product_retailer_id: id })),
    })),
  };
}

function checkProductList({ sections }: Of<'product_list'>): FieldErrors {
  const isTooLong = sections.flatMap(({ product_ids: ids }) => ids).length > 30;
  const untitled = sections.findIndex(({ title }) => title === undefined);
  return {
    ...(isTooLong ? { sections: ['Must have at most 30 products in all sections together.'] } : {}),
    ...(sections.length > 1 && untitled >= 0 ? { [`sections.${untitled}.title`]: ['Required when there are several sections.'] } : {}),
  };
}

type Card = Of<'carousel'>['cards'][number];

const repliesOf = (card: Card, index: number): { id: string; title: string }[] =>
  (card.buttons ?? []).map(({ id, title }, place) => ({ id: id ?? `card_${index + 1}_btn_${place + 1}`, title }));

function carouselAction({ cards }: Of<'carousel'>): Record<string, unknown> {
  return {
    cards: cards.map((card, index) => {
      const { image, video, message, button_name, button_url } = card;
      const replies = repliesOf(card, index);
      return {
        card_index: index,
        // of cards with quick replies too
        type: 'cta_url',
        header: image === undefined ? { type: 'video', video: { link: video } } : { type: 'image', image: { link: image } },
        ...(message === undefined ? {} : { body: { text: message } }),
        action:
          replies.length > 0
            ? { buttons: replies.map((reply) => ({ type: 'quick_reply', quick_reply: reply })) }
            : { name: 'cta_url', parameters: { display_text: button_name, url: button_url } },
      };
    }),
  };
}

function checkCarousel({ cards }: Of<'carousel'>, { isPublic }: Surroundings): FieldErrors {
  const errors: FieldErrors = Object.assign({}, ...cards.map((card, index) => cardErrors(card, index, isPublic)));
  const [first] = cards;
  const ids = cards.flatMap((card, index) => repliesOf(card, index).map(({ id }) => id));
  const isMixed = cards.some(
    (card) => (card.image === undefined) !== (first?.image === undefined) || card.buttons?.length !== first?.buttons?.length,
  );
  if (isMixed)
    return { cards: ['All cards must have an image, or all a video; and one link, or the same number of quick replies.'], ...errors };
  return new Set(ids).size < ids.length ? { cards: ['Each quick reply needs an id of its own.'], ...errors } : errors;
}

function cardErrors(
  { image, video, buttons, button_name, button_url }: Card,
  index: number,
  isPublic: Surroundings['isPublic'],
): FieldErrors {
  const at = `cards.${index}`;
  const errors: FieldErrors = {};
  if ((image === undefined) === (video === undefined)) errors[`${at}.image`] = ['One of image and video is required.'];
  for (const [field, url] of Object.entries({ image, video }))
    if (url !== undefined && !isPublic(url)) errors[`${at}.${field}`] = ['Must be a URL on the public internet.'];
  if (buttons && (button_name ?? button_url) !== undefined) errors[`${at}.buttons`] = ['Not together with a link.'];
  if (!buttons && button_name === undefined) errors[`${at}.button_name`] = ['A card needs a link or quick replies.'];
  if (!buttons && button_url === undefined) errors[`${at}.button_url`] = ['A card needs a link or quick replies.'];
  return errors;
}
