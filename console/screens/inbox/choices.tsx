import type { JSX } from 'react';
import type { Message } from '../../../client/client.ts';
import { Icon } from '../../components/icons.tsx';
import { receivedText } from '../../text/received.ts';
import { useText } from '../../text/text.ts';
import { offeredIn } from './offered.ts';

/** Footer, buttons, lists and cards of what we sent, and what it requests. */
const Choices = ({ content }: { content: Message['content'] }): JSX.Element | null => {
  const received = useText(receivedText);
  const offered = offeredIn(content);
  if (!offered) return null;
  const { footer, labels, list, cards, products, kind } = offered;
  const names: Readonly<Record<string, string>> = {
    location_request_message: received.requestsLocation,
    request_contact_info: received.requestsPhone,
    address_message: received.requestsAddress,
    catalog_message: received.sentCatalog,
    ...(products > 0 ? { product: received.sentProducts(products), product_list: received.sentProducts(products) } : {}),
  };
  const named = names[kind];
  return (
    <>
      {footer !== undefined && <p className="muted">{footer}</p>}
      {cards.map((card) => (
        <span key={card.key} className="file">
          <Icon name="image" size={20} />
          <span className="grow">
            <span dir="auto">{card.text}</span>
            <small className="muted" style={{ display: 'block' }}>
              {card.labels.join(' · ')}
            </small>
          </span>
        </span>
      ))}
      <div className="choices">
        {[...(named === undefined ? [] : [named]), ...labels].map((each) => (
          <span key={each}>{each}</span>
        ))}
        {list && (
          <details>
            <summary>
              <Icon name="list" /> {list.name}
            </summary>
            <ul>
              {list.rows.map((each) => (
                <li key={each}>{each}</li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </>
  );
};

export default Choices;
