import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Order } from '../../../client/client.ts';
import { amountText } from '../../components/amount.ts';
import { State } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { Form, SubmitButton, useForm } from '../../components/form.tsx';
import { Icon } from '../../components/icons.tsx';
import { Facts } from '../../components/page.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { Shown } from '../../components/shown.tsx';
import { CsvButton } from '../../components/table.tsx';
import { formatCount, Time } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { formatPhone } from '../../data/phone.ts';
import { read, refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { shopText } from '../../text/shop.ts';
import { useLocale, useText } from '../../text/text.ts';
import { statusChoices, statusOf } from './order-words.ts';

/** One order: who gets what, where its parcel is, and its next status, with what that sends to the customer. */
export const OrderDialog = ({ id, onClose }: { id: number; onClose: () => void }): JSX.Element => {
  const text = useText(shopText);
  const mayWrite = useMay('member');
  const query = useQuery(read('getOrder', { params: { id } }));
  const order = query.data?.data;
  return (
    <Dialog
      title={order ? `${text.order} ${order.order_number}` : text.order}
      onClose={onClose}
      wide
      footer={
        typeof order?.contact_id === 'number' && (
          <Link className="button" to="/inbox/$id" params={{ id: order.contact_id }}>
            <Icon name="inbox" />
            {text.conversation}
          </Link>
        )
      }
    >
      <Shown query={query}>
        {({ data }) => (
          <>
            <About order={data} />
            <Lines order={data} />
            {mayWrite && <NextStatus order={data} />}
            <History order={data} />
          </>
        )}
      </Shown>
    </Dialog>
  );
};

const About = ({ order }: { order: Order }): JSX.Element => {
  const text = useText(shopText);
  const { tag } = useLocale();
  const { name, look } = statusOf(text, order.status);
  const { customer_name: customer, customer_phone: phone, customer_email: email, tracking_number: tracking, currency } = order;
  return (
    <Facts
      facts={[
        [text.status, <State key="status" name={name} look={look} />],
        [text.total, amountText(tag, Number(order.total_amount), currency)],
        customer === null ? undefined : [text.customer, customer],
        phone === null ? undefined : [text.phone, formatPhone(phone)],
        email === null ? undefined : [text.email, email],
        tracking === null ? undefined : [text.parcel, tracking],
        order.notes === null ? undefined : [text.notes, order.notes],
        [text.placed, <Time key="placed" at={order.placed_at} exact />],
      ]}
    />
  );
};

type Line = Order['items'][number];

const Lines = ({ order: { order_number: number, items, currency } }: { order: Order }): JSX.Element => {
  const text = useText(shopText);
  const { tag } = useLocale();
  return (
    <div className="stack">
      <div className="row">
        <span className="grow" />
        <CsvButton
          name={`order-${number}`}
          of={text.items}
          columns={[
            { name: text.item, value: ({ name }: Line) => name },
            { name: 'SKU', value: ({ sku }: Line) => sku },
            { name: text.quantity, value: ({ quantity }: Line) => quantity },
            { name: text.price, value: ({ price }: Line) => price },
            { name: text.total, value: ({ total }: Line) => total },
            { name: text.currency, value: () => currency },
          ]}
          rows={items}
        />
      </div>
      <ScrolledTable
        name={text.items}
        columns={[text.item, text.quantity, text.price, text.total]}
        isNumber={(column) => column > 0}
        rows={items.map(({ id, sku, name, quantity, price, total }, place) => ({
          key: `${id ?? sku ?? name} ${items.length - place}`,
          cells: [name, formatCount(tag, quantity), amountText(tag, Number(price), currency), amountText(tag, Number(total), currency)],
        }))}
      />
    </div>
  );
};

const NextStatus = ({ order }: { order: Order }): JSX.Element => {
  const text = useText(shopText);
  const { values, field, submitting } = useForm(
    { status: order.status, tracking_number: order.tracking_number ?? '', tracking_url: order.tracking_url ?? '' },
    // what was changed, and nothing else: another user, or the store, may have changed the rest meanwhile
    ({ status }, call, { tracking_number: number, tracking_url: url }) =>
      api.updateOrderStatus(
        {
          params: { id: order.id },
          body: {
            status,
            ...(number === undefined ? {} : { tracking_number: number.trim() === '' ? null : number.trim() }),
            ...(url === undefined ? {} : { tracking_url: url.trim() === '' ? null : url.trim() }),
          },
        },
        call,
      ),
    () => {
      toast(text.saved);
      void refresh('getOrder', 'listOrders');
    },
  );
  const settings = useShopSettings();
  const notice = useNotice(settings, values.status === order.status ? undefined : values.status);
  const choices = statusChoices(text, order.status, settings?.strict_order_transitions === true);
  return (
    <Form submitting={submitting} className="form">
      <SelectField label={text.status} choices={choices} {...field('status')} hint={notice} />
      <TextField label={text.parcel} {...field('tracking_number')} />
      <TextField label={text.parcelLink} type="url" {...field('tracking_url')} />
      <div>
        <SubmitButton write={submitting.write} isSoftDisabled={!submitting.isChanged} />
      </div>
    </Form>
  );
};

const useShopSettings = () => useQuery({ ...read('getShopSettings'), staleTime: 5 * 60_000 }).data?.data;

/** What a new status sends to the customer, before it is saved. */
const useNotice = (settings: ReturnType<typeof useShopSettings>, status: string | undefined): string | undefined => {
  const text = useText(shopText);
  const templates = useQuery({ ...read('listTemplates', { query: { status: 'all', limit: 100 } }), staleTime: 5 * 60_000 }).data?.data;
  if (status === undefined || !settings) return undefined;
  const setting = (settings.order_notifications as Readonly<Record<string, { template_id?: number } | undefined>>)[status];
  if (!setting?.template_id) return text.sendsNothing;
  const template = templates?.find(({ id }) => id === setting.template_id);
  return text.sends(template?.name ?? String(setting.template_id));
};

const History = ({ order: { status_history: history, parcel_events: parcel } }: { order: Order }): JSX.Element => {
  const text = useText(shopText);
  return (
    <ScrolledTable
      name={text.history}
      columns={[text.history, text.source, text.time]}
      rows={[
        ...history.map(({ to, source, at }) => ({
          key: `${to} ${at}`,
          cells: [statusOf(text, to).name, source, <Time key="at" at={at} exact />],
        })),
        ...parcel.map(({ status, at }) => ({
          key: `parcel ${status} ${at}`,
          cells: [status, text.parcel, <Time key="at" at={at} exact />],
        })),
      ]}
    />
  );
};
