import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Cart } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { amountText } from '../../components/amount.ts';
import type { BadgeLook } from '../../components/basics.tsx';
import { badges, times } from '../../components/columns.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { formatPhone } from '../../data/phone.ts';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { shopText } from '../../text/shop.ts';
import { useLocale, useText } from '../../text/text.ts';

type Row = Cart & { id: string };
const states = ['open', 'claimed', 'abandoned', 'recovered', 'closed', 'expired'] as const;

/** Carts that were left, and what became of them: the newest, and what reminders brought back. */
const Carts = (): JSX.Element => {
  const text = useText(shopText);
  const { tag } = useLocale();
  const [state, setState] = useFilter('status');
  const query = useQuery(read('listCarts'));
  useInspectable({ title: text.carts, call: { operation: 'listCarts', input: {} } });
  const names: Readonly<Record<Cart['state'], readonly [string, BadgeLook | undefined]>> = {
    open: [text.cartOpen, undefined],
    claimed: [text.cartClaimed, 'info'],
    abandoned: [text.cartAbandoned, 'warn'],
    recovered: [text.cartRecovered, 'good'],
    closed: [text.cartClosed, undefined],
    expired: [text.cartExpired, undefined],
  };
  const rows = (query.data?.data ?? []).map((cart, place): Row => ({ ...cart, id: `${cart.source}-${cart.checkout_id ?? place}` }));
  const shown = rows.filter((cart) => state === undefined || cart.state === state);
  return (
    <TablePage
      title={text.carts}
      file="carts"
      query={query}
      rows={shown}
      leading={<Recovered carts={rows} />}
      columns={[
        {
          id: 'customer',
          name: text.customer,
          width: 'minmax(8rem, 2fr)',
          value: (cart) =>
            cart.customer_name ?? (cart.customer_phone === null ? (cart.customer_email ?? '') : formatPhone(cart.customer_phone)),
        },
        { id: 'items', name: text.items, width: 'minmax(8rem, 2fr)', value: ({ items }) => items.join(', '), isExtra: true },
        {
          id: 'total',
          name: text.total,
          width: '6.5rem',
          value: ({ total_amount: total }) => total,
          cell: ({ total_amount: total, currency }) =>
            total === null || currency === null ? '' : amountText(tag, Number(total), currency),
          isNumber: true,
        },
        badges<Row>(
          { id: 'state', name: text.state, width: '7.5rem', value: (cart) => names[cart.state][0] },
          (cart) => names[cart.state][1],
        ),
        times('reminded_at', text.reminded, { width: '8rem', isNumber: true, isExtra: true }),
        times('updated_at', text.changed, { width: '7rem', isNumber: true, isExtra: true }),
      ]}
      filters={
        <FilterSelect
          label={text.state}
          value={state}
          choices={[['', text.all], ...states.map((each) => [each, names[each][0]] as const)]}
          onText={setState}
        />
      }
      empty={state === undefined ? { icon: 'clock', title: text.noCarts, hint: text.noCartsHint } : { icon: 'clock', title: text.noMatch }}
    />
  );
};
export default Carts;

/** What came back after a reminder, by currency: amounts of two currencies are never added. */
const Recovered = ({ carts }: { carts: readonly Cart[] }): JSX.Element | null => {
  const text = useText(shopText);
  const { tag } = useLocale();
  const sums = new Map<string, number>();
  for (const { state, total_amount: total, currency } of carts)
    if (state === 'recovered' && total !== null && currency !== null) sums.set(currency, (sums.get(currency) ?? 0) + Number(total));
  if (sums.size === 0) return null;
  return (
    <span className="muted numbers">{text.recovered([...sums].map(([currency, sum]) => amountText(tag, sum, currency)).join(' + '))}</span>
  );
};
