import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { ShopSettings } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button } from '../../components/basics.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { CheckField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { Page, Section } from '../../components/page.tsx';
import { Shown } from '../../components/shown.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { queryClient, read } from '../../data/queries.ts';
import { useMay, useMe } from '../../data/session.ts';
import { shopText } from '../../text/shop.ts';
import { useText } from '../../text/text.ts';
import { SettingsForm } from '../../components/settings-form.tsx';
import { MessageDialog, type MessageOf } from './message-dialog.tsx';
import { orderStatuses, statusOf } from './order-words.ts';
import './shop.css';

/** What the shop sends by itself, in sentences: to which event which message, and when it keeps quiet. */
const Messages = (): JSX.Element => {
  const text = useText(shopText);
  const query = useQuery(read('getShopSettings'));
  useInspectable({ title: text.messages, object: query.data?.data, call: { operation: 'getShopSettings', input: {} } });
  return (
    <Page title={text.messages}>
      <Shown query={query}>
        {({ data }) => (
          <>
            <Sentences settings={data} />
            <Rules settings={data} />
          </>
        )}
      </Shown>
    </Page>
  );
};
export default Messages;

const Sentences = ({ settings }: { settings: ShopSettings }): JSX.Element => {
  const text = useText(shopText);
  const isAdmin = useMay('admin');
  const { dialog, open, close } = useDialog();
  const templates = useQuery({ ...read('listTemplates', { query: { status: 'all', limit: 100 } }), staleTime: 60_000 }).data?.data ?? [];
  const templateName = (id: number): string => templates.find((each) => each.id === id)?.name ?? `#${id}`;
  const { abandoned_cart: cart, order_notifications: notifications } = settings;
  const edit = (of: MessageOf): void => open(<MessageDialog settings={settings} of={of} onClose={close} />);
  const sentence = (key: string, words: string, isSent: boolean, of: MessageOf): JSX.Element => (
    <li key={key}>
      <p className={isSent ? '' : 'muted'}>{words}</p>
      {isAdmin && (
        <Button
          small
          look={isSent ? 'normal' : 'quiet'}
          aria-label={`${isSent ? text.change : text.chooseMessage}: ${words}`}
          onClick={() => edit(of)}
        >
          {isSent ? text.change : text.chooseMessage}
        </Button>
      )}
    </li>
  );
  return (
    <>
      <Section title={text.orders} hint={text.orderMessagesHint}>
        <ul className="sentences stack">
          {orderStatuses.map((status) => {
            const setting = notifications[status];
            const name = statusOf(text, status).name;
            return sentence(
              status,
              setting ? text.whenOrder(name, templateName(setting.template_id)) : text.whenOrderNothing(name),
              setting !== undefined,
              { kind: 'order', status },
            );
          })}
        </ul>
      </Section>
      <Section title={text.carts} hint={text.cartMessagesHint}>
        <ul className="sentences stack">
          {sentence(
            'cart',
            cart.enabled && cart.template_id !== null
              ? text.whenCart(cart.delay_minutes, templateName(cart.template_id))
              : text.whenCartNothing,
            cart.enabled && cart.template_id !== null,
            { kind: 'cart' },
          )}
        </ul>
      </Section>
      {dialog}
    </>
  );
};

/** When reminders keep quiet, and what the API checks. */
const Rules = ({ settings }: { settings: ShopSettings }): JSX.Element => {
  const text = useText(shopText);
  const { timezone } = useMe();
  const { quiet_hours: quiet } = settings;
  const { values, field, check, problem, set, submitting } = useForm(
    {
      isQuiet: quiet !== null,
      start: quiet?.start ?? '21:00',
      end: quiet?.end ?? '08:00',
      strict: settings.strict_order_transitions,
      platform_currency: settings.platform_currency,
    },
    (all, call, { isQuiet, start, end, strict, platform_currency: currency }) =>
      api.updateShopSettings(
        {
          body: {
            ...(isQuiet === undefined && start === undefined && end === undefined
              ? {}
              : { quiet_hours: all.isQuiet ? { start: all.start, end: all.end, timezone: quiet?.timezone ?? timezone } : null }),
            ...(strict === undefined ? {} : { strict_order_transitions: strict }),
            ...(currency === undefined ? {} : { platform_currency: currency }),
          },
        },
        call,
      ),
    (answer) => {
      queryClient.setQueryData(read('getShopSettings').queryKey, answer);
      toast(text.saved);
    },
  );
  return (
    <SettingsForm submitting={submitting}>
      <Section title={text.quietHours} hint={text.quietHoursHint(quiet?.timezone ?? timezone)}>
        <CheckField label={text.quietAtNight} {...check('isQuiet')} />
        {values.isQuiet && (
          <div className="pair">
            <TextField
              label={text.quietFrom}
              type="time"
              value={values.start}
              onText={set('start')}
              problem={problem('quiet_hours.start')}
            />
            <TextField label={text.quietUntil} type="time" value={values.end} onText={set('end')} problem={problem('quiet_hours.end')} />
          </div>
        )}
      </Section>
      <Section title={text.checks}>
        <CheckField label={text.strictOrders} hint={text.strictOrdersHint} {...check('strict')} />
        <TextField label={text.platformCurrency} hint={text.platformCurrencyHint} maxLength={3} {...field('platform_currency')} />
      </Section>
    </SettingsForm>
  );
};
