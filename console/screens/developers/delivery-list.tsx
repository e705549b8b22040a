import { type JSX, useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { WebhookDelivery } from '../../../client/client.ts';
import { Badge, Button, Copyable } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Facts } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatTime, Time } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useNumber } from '../../components/charts/frame.tsx';
import { developersText } from '../../text/developers.ts';
import { useLocale, useText } from '../../text/text.ts';
import { CodeBox, readable } from './code-box.tsx';

const looks = { pending: 'warn', delivered: 'good', failed: 'bad', aborted: '' } as const;

/** The columns of deliveries; `open` shows one whole. */
export const useDeliveryColumns = (open: (id: string) => void): Column<WebhookDelivery>[] => {
  const text = useText(developersText);
  const { data } = useQuery(read('listWebhooks'));
  return useMemo(() => {
    const urls = new Map(data?.data.map(({ id, url }) => [id, url]));
    const urlOf = ({ webhook_id, request }: WebhookDelivery): string => urls.get(webhook_id) ?? request.url;
    return [
      {
        id: 'event',
        name: text.event,
        width: 'minmax(8rem, 2fr)',
        value: ({ event }) => event,
        cell: ({ id, event }) => (
          <button type="button" className="row-link" onClick={() => open(id)}>
            <code>{event}</code>
          </button>
        ),
      },
      {
        id: 'endpoint',
        name: text.endpoint,
        width: 'minmax(8rem, 2fr)',
        value: urlOf,
        cell: (delivery) => <span title={urlOf(delivery)}>{urlOf(delivery).replace(/^https?:\/\//, '')}</span>,
        isExtra: true,
      },
      {
        id: 'id',
        name: 'Id',
        width: 'minmax(6rem, 1fr)',
        value: ({ id }) => id,
        cell: ({ id }) => <code className="muted">{id}</code>,
        isExtra: true,
      },
      { id: 'tries', name: text.tries, width: '4.5rem', value: ({ attempts }) => attempts, isNumber: true, isExtra: true },
      {
        id: 'answer',
        name: text.answer,
        width: '7rem',
        value: ({ response, error }) => response?.status ?? error,
        cell: ({ response, error }) =>
          response ? (
            <span className="numbers">HTTP {response.status}</span>
          ) : (
            <span className="muted" title={error ?? ''}>
              {error ?? '–'}
            </span>
          ),
        isExtra: true,
      },
      {
        id: 'status',
        name: text.status,
        width: '7.5rem',
        value: ({ status }) => text[status],
        cell: ({ status }) => <Badge look={looks[status]}>{text[status]}</Badge>,
      },
      {
        id: 'created',
        name: text.time,
        width: '4rem',
        value: ({ created_at }) => created_at,
        cell: ({ created_at }) => <Time at={created_at} />,
        isNumber: true,
      },
    ];
  }, [text, data, open]);
};

/** Deliveries, and the one that the address of the page names. */
export const DeliveryList = ({
  rows,
  isOfOne = false,
  onEnd,
}: {
  rows: readonly WebhookDelivery[];
  /** All are of one endpoint, which is named elsewhere. */
  isOfOne?: boolean;
  onEnd?: () => void;
}): JSX.Element => {
  const text = useText(developersText);
  const [opened, setOpened] = useFilter('delivery');
  const all = useDeliveryColumns(setOpened);
  const columns = isOfOne ? all.filter(({ id }) => id !== 'endpoint') : all;
  const shown = rows.find(({ id }) => id === opened);
  return (
    <>
      <Table
        label={text.deliveries}
        columns={columns}
        rows={rows}
        keyOf={({ id, webhook_id }) => `${webhook_id}-${id}`}
        {...(onEnd ? { onEnd } : {})}
      />
      {shown && <DeliveryDialog delivery={shown} onClose={() => setOpened(undefined)} />}
    </>
  );
};

/** One delivery: what was sent, what was answered, and every try. */
const DeliveryDialog = ({ delivery, onClose }: { delivery: WebhookDelivery; onClose: () => void }): JSX.Element => {
  const text = useText(developersText);
  const { tag } = useLocale();
  const number = useNumber();
  const resend = useWrite(
    (_: undefined, call) => api.resendDelivery({ params: { id: delivery.webhook_id, delivery_id: delivery.id } }, call),
    () => {
      toast(text.resent);
      void refresh('listDeliveries', 'listAllDeliveries', 'getWebhook');
    },
  );
  const { request, response, tries } = delivery;
  return (
    <Dialog
      title={delivery.event}
      onClose={onClose}
      wide
      footer={
        <Button
          look="primary"
          icon="refresh"
          disabled={resend.isPending || delivery.status === 'pending'}
          onClick={() => resend.run(undefined)}
        >
          {text.resend}
        </Button>
      }
    >
      {resend.error && <ProblemCard error={resend.error} />}
      <Facts
        facts={[
          [
            text.status,
            <Badge key="status" look={looks[delivery.status]}>
              {text[delivery.status]}
            </Badge>,
          ],
          [text.created, <Time key="created" at={delivery.created_at} long />],
          ...(delivery.next_attempt_at === null ? [] : [[text.nextTry, <Time key="next" at={delivery.next_attempt_at} long />] as const]),
          ['Id', <Copyable key="id" value={delivery.id} />],
        ]}
      />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
      <div className="table-wrap" tabIndex={0} role="region" aria-label={text.tries}>
        <table className="table tries">
          <caption className="hidden-text">{text.tries}</caption>
          <thead>
            <tr>
              <th scope="col">{text.try}</th>
              <th scope="col">{text.time}</th>
              <th scope="col" className="end">
                {text.took}
              </th>
              <th scope="col">{text.result}</th>
            </tr>
          </thead>
          <tbody>
            {tries.map(({ at, ms, status, error }, index) => (
              <tr key={`${at}-${tries.length - index}`}>
                <td className="numbers">{number(index + 1)}</td>
                <td className="numbers">{formatTime(tag, at, { dateStyle: 'short', timeStyle: 'medium' })}</td>
                <td className="end numbers">{number(ms)} ms</td>
                <td>
                  {status === null ? (
                    <span>{error ?? text.noAnswer}</span>
                  ) : (
                    <Badge look={status >= 200 && status < 300 ? 'good' : 'bad'}>HTTP {status}</Badge>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="detail-grid">
        <div>
          <h3>{text.request}</h3>
          <CodeBox label={text.request} value={`POST ${request.url}\n\n${readable(request.body)}`} />
        </div>
        <div>
          <h3>{text.response}</h3>
          <CodeBox
            label={text.response}
            value={
              response
                ? `HTTP ${response.status}\n\n${response.body === '' ? text.noBody : readable(response.body)}`
                : (delivery.error ?? text.noAnswer)
            }
          />
        </div>
      </div>
    </Dialog>
  );
};
