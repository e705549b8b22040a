import type { JSX } from 'react';
import type { Message } from '../../../client/client.ts';
import { inboxText } from '../../text/inbox.ts';
import { receivedText } from '../../text/received.ts';
import { useLocale, useText } from '../../text/text.ts';
import { amountText } from '../../components/amount.ts';
import { FileBox } from './file-box.tsx';
import { record, textIn } from './message-data.ts';
import { formIn } from './received.ts';
import { advertisementIn, cardsIn, isOwnNumber, orderIn, productIn } from './received-content.ts';
import { Words } from '../../components/words.tsx';

/** The answer to a flow or an address form: each field with its value. */
const FormAnswer = ({ message }: { message: Message }): JSX.Element => {
  const text = useText(inboxText);
  const pairs = formIn(message.value);
  return (
    <FileBox icon="list">
      {text.formAnswer}
      {pairs.map(({ name, value }) => (
        <small key={`${name} ${value}`} style={{ display: 'block' }} dir="auto">
          <span className="muted">{name}</span> {value}
        </small>
      ))}
    </FileBox>
  );
};

/** The cards of contacts: names, numbers to call, addresses to write to. */
const Cards = ({ message }: { message: Message }): JSX.Element => {
  const text = useText(inboxText);
  const words = useText(receivedText);
  const cards = cardsIn(message.content);
  if (cards.length === 0) return <Words text={message.value || text.contacts} />;
  return (
    <>
      {isOwnNumber(message.content) && <p className="muted">{words.ownNumber}</p>}
      {cards.map(({ name, phones, emails, company }) => (
        <FileBox key={`${name} ${phones.join(' ')}`} icon="user">
          <span dir="auto">{name}</span>
          {company !== undefined && (
            <small className="muted" style={{ display: 'block' }} dir="auto">
              {company}
            </small>
          )}
          {phones.map((phone) => (
            <a key={phone} className="numbers" style={{ display: 'block' }} href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>
              {phone}
            </a>
          ))}
          {emails.map((email) => (
            <a key={email} style={{ display: 'block' }} href={`mailto:${encodeURIComponent(email)}`}>
              {email}
            </a>
          ))}
        </FileBox>
      ))}
    </>
  );
};

/** An order of a catalog: its products, and the sum in each currency. */
const Order = ({ message }: { message: Message }): JSX.Element => {
  const received = useText(receivedText);
  const { tag } = useLocale();
  const { items, totals, note } = orderIn(message.content);
  const sums = totals.map(({ total, currency }) => amountText(tag, total, currency));
  return (
    <>
      <FileBox icon="list">
        {[received.order(items.reduce((count, { quantity }) => count + quantity, 0)), ...sums].join(' · ')}
        {items.map(({ product, quantity, price, currency }) => (
          <small key={product} className="muted" style={{ display: 'block' }}>
            {quantity} × {product}
            {price !== undefined && currency !== undefined && ` · ${amountText(tag, price, currency)}`}
          </small>
        ))}
      </FileBox>
      {note !== undefined && <Words text={note} />}
    </>
  );
};

/** Where the message comes from: an advertisement, or a product that it is about. */
const Origin = ({ content }: { content: Message['content'] }): JSX.Element | null => {
  const words = useText(receivedText);
  const advertisement = advertisementIn(content);
  const product = productIn(content);
  if (!advertisement) return product === undefined ? null : <p className="muted">{words.product(product)}</p>;
  const { headline, body, url } = advertisement;
  return (
    <FileBox icon="link" url={url}>
      <small className="muted">{words.advertisement}</small>
      <span style={{ display: 'block' }} dir="auto">
        {headline || body || url}
      </span>
    </FileBox>
  );
};

/** A place, on a map. */
const Location = ({ message: { content, value } }: { message: Message }): JSX.Element => {
  const text = useText(inboxText);
  const place = record(content?.['location']);
  const [latitude, longitude] = [place?.['latitude'], place?.['longitude']].map(Number);
  const at = place ? `${latitude},${longitude}` : value;
  return (
    <FileBox icon="location" url={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`}>
      <span dir="auto">{textIn(place?.['name']) ?? text.location}</span>
      <small className="muted numbers" style={{ display: 'block' }}>
        {textIn(place?.['address']) ?? at}
      </small>
    </FileBox>
  );
};

/** What a customer answered or shared, or where the message comes from. */
const Received = ({ message }: { message: Message }): JSX.Element => {
  switch (message.subtype) {
    case 'contacts':
      return <Cards message={message} />;
    case 'location':
      return <Location message={message} />;
    case 'order':
      return <Order message={message} />;
    case 'nfm_reply':
      return <FormAnswer message={message} />;
    default:
      return <Origin content={message.content} />;
  }
};

export default Received;
