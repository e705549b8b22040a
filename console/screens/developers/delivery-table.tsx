import type { JSX, ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { WebhookDelivery } from '../../../client/client.ts';
import { Badge, Button, Copyable } from '../../components/basics.tsx';
import { badges, idColumn, opening, times } from '../../components/columns.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Facts } from '../../components/page.tsx';
import { ScrolledTable } from '../../components/plain-table.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import type { Column } from '../../components/table.tsx';
import { formatTime, Time, timeUntil, useNow } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useNumber } from '../../components/charts/frame.tsx';
import { developersText } from '../../text/developers.ts';
import { useLocale, useText } from '../../text/text.ts';
import { CodeBox, readable } from '../../components/code-box.tsx';

const looks = { pending: 'warn', delivered: 'good', failed: 'bad', aborted: '' } as const;

/** How a table shows deliveries: its columns, its keys, and as a dialog the one that the address of the page names. */
export const useDeliveryTable = (
  rows: readonly WebhookDelivery[],
): { columns: Column<WebhookDelivery>[]; keyOf: (row: WebhookDelivery) => string; dialog: ReactNode } => {
  const text = useText(developersText);
  const { data } = useQuery(read('listWebhooks'));
  const [opened, setOpened] = useFilter('delivery');
  const shown = rows.find(({ id }) => id === opened);
  const urlOf = ({ webhook_id, request }: WebhookDelivery): string => data?.data.find(({ id }) => id === webhook_id)?.url ?? request.url;
  return {
    columns: [
      opening({ id: 'event', name: text.event, width: 'minmax(8rem, 2fr)', value: ({ event }) => event }, setOpened),
      {
        id: 'endpoint',
        name: text.endpoint,
        width: 'minmax(8rem, 2fr)',
        value: urlOf,
        cell: (delivery) => <span title={urlOf(delivery)}>{urlOf(delivery).replace(/^https?:\/\//, '')}</span>,
        isExtra: true,
      },
      idColumn(),
      { id: 'tries', name: text.tries, width: '4.5rem', value: ({ attempts }) => attempts, isNumber: true, isExtra: true },
      {
        id: 'answer',
        name: text.answer,
        width: '7rem',
        value: ({ response, error }) => response?.status ?? error,
        cell: (delivery) => <Answer delivery={delivery} />,
        isExtra: true,
      },
      badges({ id: 'status', name: text.status, width: '6.5rem', value: ({ status }) => text[status] }, ({ status }) => looks[status]),
      times('created_at', text.time, { width: '9rem', isNumber: true, isExact: true, isExtra: 'goes last' }),
    ],
    keyOf: ({ id, webhook_id }) => `${webhook_id}-${id}`,
    dialog: shown && <DeliveryDialog delivery={shown} onClose={() => setOpened(undefined)} />,
  };
};

const Answer = ({ delivery: { response, error } }: { delivery: WebhookDelivery }): JSX.Element =>
  response ? (
    <span className="numbers">HTTP {response.status}</span>
  ) : (
    <span className="muted" title={error ?? ''}>
      {error ?? '–'}
    </span>
  );

/** One delivery: what was sent, what was answered, and every try. */
const DeliveryDialog = ({ delivery, onClose }: { delivery: WebhookDelivery; onClose: () => void }): JSX.Element => {
  const text = useText(developersText);
  const { request, response, tries, status } = delivery;
  const resend = useWrite(
    (_: undefined, call) => api.resendDelivery({ params: { id: delivery.webhook_id, delivery_id: delivery.id } }, call),
    () => {
      toast(text.resent);
      void refresh('listDeliveries', 'listAllDeliveries', 'getWebhook');
    },
  );
  const answered =
    response &&
    `HTTP ${response.status}\n${headerLines(response.headers)}\n${response.body === '' ? text.emptyBody : readable(response.body)}`;
  return (
    <Dialog
      title={delivery.event}
      onClose={onClose}
      wide
      footer={
        <Button look="primary" icon="refresh" isSoftDisabled={resend.isPending} onClick={() => resend.run(undefined)}>
          {status === 'pending' ? text.tryNow : text.resend}
        </Button>
      }
    >
      {resend.error && <ProblemCard error={resend.error} />}
      <Facts
        facts={[
          [
            text.status,
            <Badge key="status" look={looks[status]}>
              {text[status]}
            </Badge>,
          ],
          [text.created, <Time key="created" at={delivery.created_at} exact />],
          delivery.next_attempt_at === null ? undefined : [text.nextTry, <NextTry key="next" at={delivery.next_attempt_at} />],
          ['Id', <Copyable key="id" value={delivery.id} />],
        ]}
      />
      <Tries tries={tries} />
      <div className="detail-grid">
        <div>
          <h3>{text.request}</h3>
          <CodeBox label={text.request} value={`POST ${request.url}\n${headerLines(request.headers)}\n${readable(request.body)}`} />
        </div>
        <div>
          <h3>{text.response}</h3>
          <CodeBox label={text.response} value={answered ?? delivery.error ?? text.noAnswer} />
        </div>
      </div>
    </Dialog>
  );
};

/** When it is tried next: in how long, and at what time. */
const NextTry = ({ at }: { at: string }): JSX.Element => {
  const { tag } = useLocale();
  const now = useNow();
  return (
    <>
      {timeUntil(tag, at, now)} · <Time at={at} exact />
    </>
  );
};

/** Headers as they go over the line. Those of a success are not kept. */
const headerLines = (headers: WebhookDelivery['request']['headers']): string =>
  Object.entries(headers ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');

const Tries = ({ tries }: Pick<WebhookDelivery, 'tries'>): JSX.Element => {
  const text = useText(developersText);
  const { tag } = useLocale();
  const number = useNumber();
  return (
    <ScrolledTable
      name={text.tries}
      className="tries"
      columns={[text.try, text.time, text.took, text.result]}
      isNumber={(column) => column === 2}
      rows={tries.map(({ at, ms, status, error }, index) => ({
        key: `${at}-${tries.length - index}`,
        cells: [
          number(index + 1),
          formatTime(tag, at, { dateStyle: 'short', timeStyle: 'medium' }),
          `${number(ms)} ms`,
          status === null ? (error ?? text.noAnswer) : <Badge look={status >= 200 && status < 300 ? 'good' : 'bad'}>HTTP {status}</Badge>,
        ],
      }))}
    />
  );
};
