import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { PrivacyRequest } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Badge } from '../../components/basics.tsx';
import { times } from '../../components/columns.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { Time, useNow } from '../../components/time.tsx';
import { formatPhone } from '../../data/phone.ts';
import { read } from '../../data/queries.ts';
import { shopText } from '../../text/shop.ts';
import { useText } from '../../text/text.ts';

type Row = PrivacyRequest & { id: string };
const dayMs = 24 * 3_600_000;

/** What customers and stores want to know or have erased by law, as the store platform passed it on, and until when. */
const Privacy = (): JSX.Element => {
  const text = useText(shopText);
  const query = useQuery(read('listPrivacyRequests'));
  useInspectable({ title: text.privacy, call: { operation: 'listPrivacyRequests', input: {} } });
  const topics: Readonly<Record<string, string>> = {
    'customers/data_request': text.dataRequest,
    'customers/redact': text.customerErasure,
    'shop/redact': text.storeErasure,
  };
  const rows = (query.data?.data ?? []).map(
    (request): Row => ({ ...request, id: `${request.received_at} ${request.topic} ${request.shop}` }),
  );
  const customerOf = ({ customer_email: email, customer_phone: phone }: Row): string => email ?? (phone === null ? '' : formatPhone(phone));
  return (
    <TablePage
      title={text.privacy}
      file="privacy-requests"
      query={query}
      rows={rows}
      columns={[
        { id: 'topic', name: text.wanted, width: 'minmax(9rem, 2fr)', value: ({ topic }) => topics[topic] ?? topic },
        {
          id: 'customer',
          name: text.customer,
          width: 'minmax(8rem, 2fr)',
          value: customerOf,
          cell: (row) =>
            row.contact_id === null ? (
              <span className="cut">{customerOf(row)}</span>
            ) : (
              <Link className="cut" to="/contacts/$id" params={{ id: row.contact_id }}>
                {customerOf(row) || text.contact}
              </Link>
            ),
        },
        { id: 'shop', name: text.store, width: 'minmax(8rem, 2fr)', value: ({ shop }) => shop, isExtra: true },
        { id: 'orders', name: text.orders, width: '6.5rem', value: ({ order_ids: ids }) => ids.length, isNumber: true, isExtra: true },
        times('received_at', text.received, { width: '8rem', isNumber: true, isExtra: true }),
        {
          id: 'due',
          name: text.due,
          width: 'minmax(8rem, 1fr)',
          value: ({ due_at: due, done_at: done }) => done ?? due,
          cell: (row) => <Due request={row} />,
        },
      ]}
      empty={{ icon: 'shield', title: text.noPrivacy, hint: text.noPrivacyHint }}
    />
  );
};
export default Privacy;

const Due = ({ request: { due_at: due, done_at: done } }: { request: PrivacyRequest }): JSX.Element => {
  const text = useText(shopText);
  const days = Math.ceil((Date.parse(due) - useNow()) / dayMs);
  if (done !== null)
    return (
      <span className="muted">
        {text.erased} <Time at={done} />
      </span>
    );
  return <Badge look={days < 0 ? 'bad' : days <= 7 ? 'warn' : ''}>{days < 0 ? text.overdue : text.dueIn(days)}</Badge>;
};
