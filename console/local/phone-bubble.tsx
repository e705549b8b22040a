import type { JSX, ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Icon, type IconName } from '../components/icons.tsx';
import { Menu } from '../components/menu.tsx';
import { read } from '../data/queries.ts';
import { type Part, partsOf as partsOfText } from '../components/formatting.ts';
import { partsOf, type TemplateParts } from '../components/template-parts.ts';
import { phoneText } from '../text/phone.ts';
import { useText } from '../text/text.ts';
import type { Accepted } from './controls.ts';
import { list, record, words } from './payload.ts';

export type AnswerWith = (words: string, message: Readonly<Record<string, unknown>>, context?: string) => void;

/** A text with what WhatsApp shows bold, italic, struck or as code. */
export const Rich = ({ text }: { text: string }): JSX.Element => <p dir="auto">{drawn(partsOfText(text))}</p>;

const elements = { bold: 'strong', italic: 'em', struck: 'del', code: 'code', mono: 'code' } as const;
const drawn = (parts: readonly Part[]): ReactNode[] =>
  parts.map((part, index) => {
    const key = `${index}-${part.kind}`;
    if (part.kind === 'text') return part.text;
    if (part.kind === 'link')
      return (
        <a key={key} href={part.href} target="_blank" rel="noopener noreferrer">
          {part.text}
        </a>
      );
    if (part.kind === 'bullet' || part.kind === 'number' || part.kind === 'quote') return [part.sign, ...drawn(part.parts), part.end];
    const Element = elements[part.kind];
    return <Element key={key}>{drawn(part.parts)}</Element>;
  });

/** A message of the business as the phone shows it; its buttons and lists answer. */
export const FromBusiness = ({ message, onAnswer }: { message: Accepted; onAnswer: AnswerWith }): ReactNode => {
  const { type, payload } = message;
  const content = record(payload[type]);
  if (type === 'template') return <SentTemplate content={content} wamid={message.wamid} onAnswer={onAnswer} />;
  if (type === 'interactive') return <Interactive content={content} wamid={message.wamid} onAnswer={onAnswer} />;
  if (type === 'reaction') return <p className="big">{words(content['emoji'])}</p>;
  if (type === 'text') return <Rich text={words(content['body'])} />;
  if (type === 'location')
    return <Tile icon="location" name={words(content['name']) || `${words(content['latitude'])}, ${words(content['longitude'])}`} />;
  if (type === 'contacts')
    return list(payload['contacts']).map(({ name }) => {
      const whole = words(record(name)['formatted_name']);
      return <Tile key={whole} icon="user" name={whole} />;
    });
  return (
    <>
      <Tile icon={type === 'image' || type === 'sticker' ? 'image' : 'file'} name={words(content['filename'])} isLarge={type === 'image'} />
      {words(content['caption']) !== '' && <Rich text={words(content['caption'])} />}
    </>
  );
};

/** In the place of a file, which the provider's simulator does not keep. */
const Tile = ({ icon, name, isLarge = false }: { icon: IconName; name: string; isLarge?: boolean }): JSX.Element => (
  <div className={`phone-tile row ${isLarge ? 'large' : ''}`}>
    <Icon name={icon} size={isLarge ? 28 : 18} />
    {name !== '' && <span className="cut">{name}</span>}
  </div>
);

type ContentProps = { content: Readonly<Record<string, unknown>>; wamid: string; onAnswer: AnswerWith };

const Choice = ({ children, onPress }: { children: string; onPress: () => void }): JSX.Element => (
  <button type="button" className="phone-choice" onClick={onPress}>
    {children}
  </button>
);

const Interactive = ({ content, wamid, onAnswer }: ContentProps): JSX.Element => {
  const text = useText(phoneText);
  const action = record(content['action']);
  const rows = list(action['sections']).flatMap((section) => list(section['rows']));
  const link = record(action['parameters']);
  const header = words(record(content['header'])['text']);
  const footer = words(record(content['footer'])['text']);
  const options = words(action['button']) || text.options;
  return (
    <>
      {header !== '' && <strong dir="auto">{header}</strong>}
      <Rich text={words(record(content['body'])['text'])} />
      {footer !== '' && <small className="muted">{footer}</small>}
      {list(action['buttons']).map((button) => {
        const id = words(record(button['reply'])['id']);
        const title = words(record(button['reply'])['title']);
        return (
          <Choice key={id} onPress={() => onAnswer(title, { type: 'button_reply', button_reply: { id, title } }, wamid)}>
            {title}
          </Choice>
        );
      })}
      {words(link['display_text']) !== '' && (
        <a className="phone-choice" href={words(link['url'])} target="_blank" rel="noopener noreferrer">
          {words(link['display_text'])}
        </a>
      )}
      <Requested type={words(content['type'])} action={action} wamid={wamid} onAnswer={onAnswer} />
      {list(action['cards']).map((card) => (
        <Card key={words(card['card_index'])} card={card} wamid={wamid} onAnswer={onAnswer} />
      ))}
      {rows.length > 0 && (
        <Menu
          label={options}
          className="phone-choice"
          trigger={options}
          entries={rows.map(({ id, title }) => ({ id: words(id), label: words(title) }))}
          onSelect={(id) => {
            const title = words(rows.find((each) => words(each['id']) === id)?.['title']);
            onAnswer(title, { type: 'list_reply', list_reply: { id, title } }, wamid);
          }}
        />
      )}
    </>
  );
};

type AnswerProps = Pick<ContentProps, 'wamid' | 'onAnswer'>;

/** A card of a carousel: its text, and its link or quick replies. */
const Card = ({ card, wamid, onAnswer }: AnswerProps & { card: Readonly<Record<string, unknown>> }): JSX.Element => {
  const action = record(card['action']);
  const link = record(action['parameters']);
  return (
    <div>
      <Tile icon="image" name={words(record(card['body'])['text'])} isLarge />
      {words(link['display_text']) !== '' && (
        <a className="phone-choice" href={words(link['url'])} target="_blank" rel="noopener noreferrer">
          {words(link['display_text'])}
        </a>
      )}
      {list(action['buttons']).map((button) => {
        const { id, title } = record(button['quick_reply']);
        const reply = { id: words(id), title: words(title) };
        return (
          <Choice key={reply.id} onPress={() => onAnswer(reply.title, { type: 'button_reply', button_reply: reply }, wamid)}>
            {reply.title}
          </Choice>
        );
      })}
    </div>
  );
};

/** What the message requests of the customer: pressed, it is answered with an example. */
const Requested = ({
  type,
  action,
  wamid,
  onAnswer,
}: AnswerProps & { type: string; action: Readonly<Record<string, unknown>> }): JSX.Element | null => {
  const text = useText(phoneText);
  const parameters = record(action['parameters']);
  const flowReply = (name: string, answer: Readonly<Record<string, unknown>>) => ({
    type: 'nfm_reply',
    nfm_reply: { name, body: 'Sent', response_json: JSON.stringify(answer) },
  });
  const ids = [action, ...list(action['sections']).flatMap((section) => list(section['product_items']))].flatMap(
    ({ product_retailer_id: id }) => words(id) || [],
  );
  const order = {
    type: 'order',
    order: {
      catalog_id: words(action['catalog_id']) || '1',
      product_items: (ids.length > 0 ? ids : ['example']).map((id) => ({
        product_retailer_id: id,
        quantity: 1,
        item_price: 4.5,
        currency: 'EUR',
      })),
    },
  };
  const ownCard = { origin: 'contact_request', name: { formatted_name: 'Me' }, phones: [{ phone: '+49 151 12345678' }] };
  const address = { values: { name: 'Asha', in_pin_code: '400063', city: 'Mumbai' } };
  const answers: Readonly<Record<string, readonly [label: string, message: Readonly<Record<string, unknown>>]>> = {
    location_request_message: [
      text.place,
      { type: 'location', location: { latitude: 52.5163, longitude: 13.3777, name: 'Brandenburger Tor' } },
    ],
    request_contact_info: [text.sharePhone, { type: 'contacts', contacts: [ownCard] }],
    flow: [words(parameters['flow_cta']), flowReply('flow', { day: 'Tuesday', guests: 2, flow_token: words(parameters['flow_token']) })],
    address_message: [text.giveAddress, flowReply('address_message', address)],
    product: [text.order, order],
    product_list: [text.order, order],
    catalog_message: [text.order, order],
  };
  const [label, message] = answers[type] ?? [];
  return label === undefined || message === undefined ? null : <Choice onPress={() => onAnswer(label, message, wamid)}>{label}</Choice>;
};

/** A template with its values in place, as the customer reads it. */
const SentTemplate = ({ content, wamid, onAnswer }: ContentProps): JSX.Element => {
  const name = words(content['name']);
  const { data } = useQuery({ ...read('listTemplates', { query: { limit: 100 } }), staleTime: 60_000 });
  const template = data?.data.find((each) => each.name === name && each.language === words(record(content['language'])['code']));
  if (!template) return <p>{name}</p>;
  const parts = partsOf(template);
  const given = list(list(content['components']).find(({ type }) => type === 'carousel')?.['cards']);
  return (
    <>
      <TemplateBubble parts={parts} content={content} wamid={wamid} onAnswer={onAnswer} />
      {parts.cards.map((card, place) => (
        <TemplateBubble
          // oxlint-disable-next-line react/no-array-index-key -- cards have no other name
          key={place}
          parts={card}
          content={given.find((each, nth) => Number(each['card_index'] ?? nth) === place) ?? {}}
          wamid={wamid}
          onAnswer={onAnswer}
        />
      ))}
    </>
  );
};

/** A template without its cards, or one of these. */
const TemplateBubble = ({ parts, content, wamid, onAnswer }: ContentProps & { parts: TemplateParts }): JSX.Element => {
  const { header, media, body, footer, buttons, offer } = parts;
  return (
    <div>
      {media !== undefined && <Tile icon={media === 'DOCUMENT' ? 'file' : 'image'} name="" isLarge={media !== 'DOCUMENT'} />}
      {header !== undefined && <strong dir="auto">{withValues(header, 'header', content)}</strong>}
      {offer !== undefined && <strong dir="auto">{offer.text}</strong>}
      {body !== '' && <Rich text={withValues(body, 'body', content)} />}
      {footer !== undefined && <small className="muted">{footer}</small>}
      {buttons.map(({ type, text: label, url }) =>
        // a link, a code or a product is no answer
        type === 'QUICK_REPLY' && url === undefined ? (
          <Choice key={label} onPress={() => onAnswer(label, { type: 'text', text: label }, wamid)}>
            {label}
          </Choice>
        ) : (
          <span key={`${type} ${label}`} className="phone-choice">
            {label || codeIn(content)}
          </span>
        ),
      )}
    </div>
  );
};

/** The label of a coupon code is the provider's own: the code stands for it. */
const codeIn = (content: Readonly<Record<string, unknown>>): string =>
  list(content['components'])
    .flatMap((component) => list(component['parameters']))
    .map((parameter) => words(parameter['coupon_code']))
    .join('');

/** The text of a part of a template with the values that were sent: by name, or by their place. */
export const withValues = (text: string, part: 'header' | 'body', content: Readonly<Record<string, unknown>>): string => {
  const parameters = list(content['components'])
    .filter(({ type }) => type === part)
    .flatMap((component) => list(component['parameters']));
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => {
    const value = parameters.find((each) => words(each['parameter_name']) === name) ?? parameters[Number(name) - 1];
    return words(value?.['text']) || whole;
  });
};
