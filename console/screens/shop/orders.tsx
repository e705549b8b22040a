import type { JSX } from 'react';
import type { Order } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { amountText } from '../../components/amount.ts';
import { badges, opening, times } from '../../components/columns.tsx';
import { FilterDay } from '../../components/filter-day.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import type { Column } from '../../components/table.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { useRows } from '../../data/pages.ts';
import { formatPhone } from '../../data/phone.ts';
import { useFilter } from '../../data/search.ts';
import { shopText } from '../../text/shop.ts';
import { useLocale, useText } from '../../text/text.ts';
import { OrderDialog } from './order-dialog.tsx';
import { dayOf } from './order-day.ts';
import { orderStatuses, statusOf } from './order-words.ts';

const sources = ['storeplatform', 'webshop', 'checkout', 'custom'] as const;

/** The orders of all shops and systems: found, opened with their parcel, and given a new status. */
const Orders = (): JSX.Element => {
  const text = useText(shopText);
  const [search, setSearch] = useFilter('q');
  const [status, setStatus] = useFilter('status');
  const [source, setSource] = useFilter('receiver');
  const [day, setDay] = useFilter('day');
  const [opened, setOpened] = useFilter('entry');
  const wanted = orderStatuses.find((each) => each === status);
  const from = sources.find((each) => each === source);
  const input = {
    query: {
      limit: 50,
      ...(search === undefined ? {} : { search }),
      ...(wanted === undefined ? {} : { status: wanted }),
      ...(from === undefined ? {} : { source: from }),
      ...dayOf(day),
    },
  };
  const { rows, hasMore, readOn, ...query } = useRows('listOrders', input);
  useInspectable({ title: text.orders, call: { operation: 'listOrders', input } });
  const isFiltered = search !== undefined || wanted !== undefined || from !== undefined || day !== undefined;
  const sourceNames = { storeplatform: 'Shopify', webshop: 'WooCommerce', checkout: text.sourceCheckout, custom: text.sourceErp };
  return (
    <TablePage
      title={text.orders}
      file="orders"
      query={query}
      rows={rows}
      columns={useOrderColumns(setOpened)}
      filters={
        <>
          <FilterText label={text.search} value={search} onText={setSearch} />
          <FilterSelect
            label={text.status}
            value={status}
            choices={[['', text.all], ...orderStatuses.map((each) => [each, statusOf(text, each).name] as const)]}
            onText={setStatus}
          />
          <FilterSelect
            label={text.origin}
            value={source}
            choices={[['', text.all], ...sources.map((each) => [each, sourceNames[each]] as const)]}
            onText={setSource}
          />
          <FilterDay label={text.placed} value={day} onText={setDay} />
        </>
      }
      empty={isFiltered ? { icon: 'list', title: text.noMatch } : { icon: 'list', title: text.noOrders, hint: text.noOrdersHint }}
      hasMore={hasMore}
      onEnd={readOn}
    >
      {opened !== undefined && <OrderDialog id={Number(opened)} onClose={() => setOpened(undefined)} />}
    </TablePage>
  );
};
export default Orders;

const useOrderColumns = (open: (id: string) => void): Column<Order>[] => {
  const text = useText(shopText);
  const { tag } = useLocale();
  const customerOf = ({ customer_name: name, customer_phone: phone, customer_email: email }: Order): string =>
    name ?? (phone === null ? (email ?? '') : formatPhone(phone));
  return [
    opening<Order>({ id: 'number', name: text.order, width: 'minmax(6rem, 1fr)', value: (order) => order.order_number }, open, {
      isPlain: true,
    }),
    { id: 'customer', name: text.customer, width: 'minmax(8rem, 2fr)', value: customerOf },
    {
      id: 'items',
      name: text.items,
      width: 'minmax(8rem, 2fr)',
      value: ({ items }) => items.map(({ name, quantity }) => `${quantity} × ${name}`).join(', '),
      isExtra: true,
    },
    {
      id: 'total',
      name: text.total,
      width: '6.5rem',
      value: ({ total_amount: total }) => total,
      cell: ({ total_amount: total, currency }) => amountText(tag, Number(total), currency),
      isNumber: true,
      isExtra: true,
    },
    badges<Order>(
      { id: 'status', name: text.status, width: '7rem', value: ({ status }) => statusOf(text, status).name },
      ({ status }) => statusOf(text, status).look,
    ),
    times('placed_at', text.placed, { width: '7rem', isNumber: true, isExtra: true }),
  ];
};
