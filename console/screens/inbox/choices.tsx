import type { JSX } from 'react';
import type { Message } from '../../../client/client.ts';
import { Icon } from '../../components/icons.tsx';
import { inboxText } from '../../text/inbox.ts';
import { useText } from '../../text/text.ts';
import { offeredIn } from './offered.ts';

/** Footer, buttons, lists and cards of what we sent, and what it requests. */
const Choices = ({ content }: { content: Message['content'] }): JSX.Element | null => {
  const text = useText(inboxText);
  const offered = offeredIn(content);
  if (!offered) return null;
  const { footer, labels, list, cards, products, kind } = offered;
  const names: Readonly<Record<string, string>> = {
    location_request_message: text.requestsLocation,
    request_contact_info: text.requestsPhone,
    address_message: text.requestsAddress,
    catalog_message: text.sentCatalog,
    ...(products > 0 ? { product: text.sentProducts(products), product_list: text.sentProducts(products) } : {}),
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
