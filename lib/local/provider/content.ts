/** Limits of what may be sent. Undefined means: nothing to complain about. */
import { type Refusal, refuse, refuseParameter } from './errors.ts';
import type { CarouselCard, Header, Interactive, Media, SendRequest } from './schemas.ts';

const captionMost = 1024;

export function checkContent(request: SendRequest): Refusal | undefined {
  return checkEnvelope(request) ?? checkByType(request);
}

function checkEnvelope(request: SendRequest): Refusal | undefined {
  if (request.recipient_type !== undefined && !['individual', 'group'].includes(request.recipient_type)) {
    return refuseParameter(`Param recipient_type must be one of {INDIVIDUAL, GROUP} - got "${request.recipient_type}".`);
  }
  if ((request.biz_opaque_callback_data?.length ?? 0) > 512) {
    return refuseParameter('Param biz_opaque_callback_data must be at most 512 characters long.');
  }
  if (request.context && request.type === 'reaction') return refuse(131009, 'A reaction message cannot be a contextual reply.');
  return undefined;
}

function checkByType(request: SendRequest): Refusal | undefined {
  switch (request.type) {
    case 'text':
      if (request.text.body.length === 0) return refuse(131008, "The parameter text['body'] is required.");
      return atMost("text['body']", request.text.body, 4096);
    case 'image':
      return checkMedia('image', request.image);
    case 'video':
      return checkMedia('video', request.video);
    case 'document':
      return checkMedia('document', request.document);
    case 'audio':
      return checkMedia('audio', request.audio);
    case 'sticker':
      return checkMedia('sticker', request.sticker);
    case 'location':
      return checkLocation(Number(request.location.latitude), Number(request.location.longitude));
    case 'contacts':
      return checkContacts(request.contacts);
    case 'reaction':
      return request.reaction.message_id.startsWith('wamid.') ? undefined : refuse(131009, 'Reaction message_id is not valid');
    case 'interactive':
      return checkInteractive(request.interactive);
    case 'template':
      return undefined;
  }
}

function checkMedia(type: string, media: Media): Refusal | undefined {
  if (media.id === undefined && media.link === undefined) return refuse(131008, `Parameter 'id' or 'link' is mandatory for type '${type}'`);
  if (media.link !== undefined && !/^https?:\/\/\S+$/.test(media.link))
    return refuse(131009, `Parameter value is not valid: ${type}['link']`);
  if (media.caption === undefined) return undefined;
  if (type === 'audio' || type === 'sticker') return refuseParameter(`Unexpected key "caption" on param "${type}".`);
  return atMost(`${type}['caption']`, media.caption, captionMost);
}

function checkLocation(latitude: number, longitude: number): Refusal | undefined {
  if (Math.abs(latitude) > 90) return refuse(131009, "Parameter value is not valid: location['latitude']");
  return Math.abs(longitude) > 180 ? refuse(131009, "Parameter value is not valid: location['longitude']") : undefined;
}

function checkContacts(contacts: { name: Record<string, unknown> }[]): Refusal | undefined {
  if (contacts.length < 1 || contacts.length > 257)
    return refuse(131009, 'Invalid contacts count. Min allowed contacts: 1, Max allowed contacts: 257');
  const parts = ['first_name', 'last_name', 'middle_name', 'suffix', 'prefix'];
  const bare = contacts.findIndex(({ name }) => !parts.some((part) => typeof name[part] === 'string' && name[part] !== ''));
  return bare < 0 ? undefined : refuse(131009, `contacts[${bare}]: name must have formatted_name and at least one more part`);
}

function checkInteractive(interactive: Interactive): Refusal | undefined {
  return (
    checkLength('Body text', interactive.body.text, interactive.type === 'list' ? 4096 : 1024) ??
    (interactive.footer && checkLength('Footer text', interactive.footer.text, 60)) ??
    (interactive.header && checkHeader(interactive.type, interactive.header)) ??
    checkAction(interactive)
  );
}

function checkHeader(type: string, header: Header): Refusal | undefined {
  if (type === 'list' && header.type !== 'text')
    return refuse(131009, `Header type ${header.type} is not allowed for interactive type list`);
  switch (header.type) {
    case 'text':
      return checkLength('Header text', header.text, 60);
    case 'image':
      return checkMedia('image', header.image);
    case 'video':
      return checkMedia('video', header.video);
    case 'document':
      return checkMedia('document', header.document);
  }
}

function checkAction(interactive: Interactive): Refusal | undefined {
  switch (interactive.type) {
    case 'button':
      return checkButtons(interactive.action.buttons);
    case 'list':
      return checkLength('Button text', interactive.action.button, 20) ?? checkSections(interactive.action.sections);
    case 'cta_url': {
      const { display_text, url } = interactive.action.parameters;
      if (!/^https?:\/\/\S+$/.test(url)) return refuse(131009, 'Invalid URL in cta_url parameters');
      return checkLength('Display text', display_text, 20);
    }
    case 'flow':
      return checkFlow(interactive.action.parameters);
    case 'address_message':
      return /^(IN|SG)$/.test(interactive.action.parameters.country)
        ? undefined
        : refuse(131009, 'Country is not supported for address messages');
    case 'product_list':
      return checkProducts(interactive.header, interactive.action.sections);
    case 'carousel':
      return checkCards(interactive.action.cards);
    case 'location_request_message':
    case 'request_contact_info':
    case 'product':
    case 'catalog_message':
      return undefined;
  }
}

function checkProducts(header: Header | undefined, sections: { title?: string | undefined; product_items: unknown[] }[]) {
  if (header?.type !== 'text') return refuse(131009, 'Header of type text is required for interactive type product_list');
  if (sections.length < 1 || sections.length > 10)
    return refuse(131009, 'Invalid sections count. Min allowed sections: 1, Max allowed sections: 10');
  const products = sections.flatMap(({ product_items: items }) => items);
  if (products.length > 30 || sections.some(({ product_items: items }) => items.length === 0))
    return refuse(131009, 'Invalid products count. Min allowed products: 1, Max allowed products: 30');
  for (const { title } of sections) {
    if (title === undefined && sections.length > 1) return refuse(131009, 'Section title is required when there is more than one section');
    const complaint = title === undefined ? undefined : checkLength('Section title', title, 24);
    if (complaint) return complaint;
  }
  return undefined;
}

function checkCards(cards: CarouselCard[]): Refusal | undefined {
  if (cards.length < 2 || cards.length > 10) return refuse(131009, 'Invalid cards count. Min allowed cards: 2, Max allowed cards: 10');
  const forms = cards.map(({ header, action }) => `${header.type} ${action.buttons?.length ?? 'link'}`);
  if (new Set(forms).size > 1) return refuse(131009, 'All cards must have the same header type and the same buttons');
  if (hasRepeats(cards.flatMap(quickRepliesOf).map(({ id }) => id))) return refuse(131009, 'Duplicated button ids are not allowed');
  for (const [index, card] of cards.entries()) {
    const complaint = checkCard(card, index);
    if (complaint) return complaint;
  }
  return undefined;
}

function checkCard(card: CarouselCard, index: number): Refusal | undefined {
  const { header, body, action } = card;
  if (Number(card.card_index) !== index) return refuse(131009, 'card_index must count from 0');
  const file = header.type === 'image' ? header.image : header.video;
  if (file.link === undefined) return refuse(131009, 'A card header must have a link');
  if ((body?.text.split('\n').length ?? 0) > 3) return refuse(131009, 'Card body must have at most 2 line breaks');
  const { parameters: link } = action;
  const labels = link ? [link.display_text] : quickRepliesOf(card).map(({ title }) => title);
  if ((link === undefined) === (action.buttons === undefined) || labels.length === 0)
    return refuse(131009, 'A card must have one URL button, or quick reply buttons');
  if (link && !/^https?:\/\/\S+$/.test(link.url)) return refuse(131009, 'Invalid URL in cta_url parameters');
  return (
    (body && checkLength('Card body', body.text, 160)) ??
    labels.map((each) => checkLength('Button title', each, 20)).find((each) => each !== undefined)
  );
}

const quickRepliesOf = ({ action }: CarouselCard): { id: string; title: string }[] =>
  (action.buttons ?? []).map((each) => each.quick_reply);

function checkButtons(buttons: { type: string; reply: { id: string; title: string } }[]): Refusal | undefined {
  if (buttons.length < 1 || buttons.length > 3)
    return refuse(131009, 'Invalid buttons count. Min allowed buttons: 1, Max allowed buttons: 3');
  for (const { type, reply } of buttons) {
    if (type.toLowerCase() !== 'reply') return refuse(131009, 'Invalid button type. Only reply buttons are allowed.');
    const complaint = checkLength('Button title', reply.title, 20) ?? checkLength('Button id', reply.id, 256);
    if (complaint) return complaint;
  }
  if (hasRepeats(buttons.map(({ reply }) => reply.id))) return refuse(131009, 'Duplicated button ids are not allowed');
  return hasRepeats(buttons.map(({ reply }) => reply.title)) ? refuse(131009, 'Duplicated button titles are not allowed') : undefined;
}

function checkSections(
  sections: { title?: string | undefined; rows: { id: string; title: string; description?: string | undefined }[] }[],
) {
  if (sections.length < 1 || sections.length > 10)
    return refuse(131009, 'Invalid sections count. Min allowed sections: 1, Max allowed sections: 10');
  const rows = sections.flatMap((section) => section.rows);
  if (rows.length < 1 || sections.some((section) => section.rows.length === 0))
    return refuse(131009, 'Invalid rows count. Min allowed rows: 1');
  if (rows.length > 10) return refuse(131009, 'Total row count exceed max allowed count: 10');
  for (const { title } of sections) {
    if (title === undefined && sections.length > 1) return refuse(131009, 'Section title is required when there is more than one section');
    const complaint = title !== undefined && title !== '' && checkLength('Section title', title, 24);
    if (complaint) return complaint;
  }
  for (const { id, title, description } of rows) {
    const complaint =
      checkLength('Row id', id, 200) ??
      checkLength('Row title', title, 24) ??
      (description ? checkLength('Row description', description, 72) : undefined);
    if (complaint) return complaint;
  }
  return hasRepeats(rows.map((row) => row.id)) ? refuse(131009, 'Duplicated row ids are not allowed') : undefined;
}

function checkFlow(flow: {
  flow_id?: string | undefined;
  flow_name?: string | undefined;
  flow_cta: string;
  mode?: string | undefined;
  flow_action?: string | undefined;
  flow_action_payload?: unknown;
}) {
  if ((flow.flow_id === undefined) === (flow.flow_name === undefined))
    return refuse(131009, 'Exactly one of flow_id and flow_name is required');
  if (flow.mode !== undefined && !['draft', 'published'].includes(flow.mode)) return refuse(131009, 'Flow mode must be draft or published');
  const action = flow.flow_action ?? 'navigate';
  if (!['navigate', 'data_exchange'].includes(action)) return refuse(131009, 'Flow action must be navigate or data_exchange');
  if (action === 'data_exchange' && flow.flow_action_payload !== undefined)
    return refuse(131009, 'flow_action_payload is not allowed with data_exchange');
  return checkLength('Flow CTA', flow.flow_cta, 30);
}

function checkLength(what: string, text: string, most: number): Refusal | undefined {
  if (text.length >= 1 && text.length <= most) return undefined;
  return refuse(131009, `${what} length invalid. Min length: 1, Max length: ${most}`);
}

function atMost(name: string, text: string, most: number): Refusal | undefined {
  return text.length > most ? refuseParameter(`Param ${name} must be at most ${most} characters long.`) : undefined;
}

function hasRepeats(words: string[]): boolean {
  return new Set(words).size < words.length;
}
