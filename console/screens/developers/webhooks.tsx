import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useInspectable } from '../../app/inspected.ts';
import { times } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { SecretDialog } from '../../components/secret.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { api } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { Health, useHealth } from './endpoint-health.tsx';

/** The company's own systems that get its events, and whether they accept them. */
const Webhooks = (): JSX.Element => {
  const text = useText(developersText);
  const query = useQuery({ ...read('listWebhooks'), refetchInterval: 15_000 });
  const { dialog, open, close } = useDialog();
  const health = useHealth();
  useInspectable({ title: text.webhooks, object: query.data?.data, call: { operation: 'listWebhooks', input: {} } });
  const showSecret = (value: string): void => {
    open(<SecretDialog title={text.webhookCreated} secrets={[{ name: text.sigSecret, value }]} onClose={close} />);
    void refresh('listWebhooks');
  };
  const create = (): void =>
    open(
      <EndpointForm
        title={text.webhookNew}
        action={text.webhookCreate}
        send={(body, call) => api.createWebhook({ body }, call)}
        onDone={({ data: { secret } }) => showSecret(secret)}
        onClose={close}
      />,
    );
  return (
    <TablePage
      title={text.webhooks}
      file="webhooks"
      query={query}
      rows={query.data?.data ?? []}
      columns={[
        {
          id: 'url',
          name: text.url,
          width: 'minmax(10rem, 3fr)',
          value: ({ url }) => url,
          cell: ({ id, url }) => (
            <Link className="row-link" to="/developers/webhooks/$id" params={{ id }} title={url}>
              {url}
            </Link>
          ),
        },
        {
          id: 'events',
          name: text.events,
          width: 'minmax(6rem, 1fr)',
          value: ({ events }) => events.join(' '),
          cell: ({ events }) => (
            <span title={events.join('\n')}>
              {events.includes('*') ? text.all : events.length === 1 ? <code>{events[0]}</code> : text.eventsCount(events.length)}
            </span>
          ),
          isExtra: true,
        },
        times('last_success_at', text.lastSuccess, { width: '7rem', none: text.never, isExtra: true }),
        {
          id: 'health',
          name: text.health,
          width: '9.5rem',
          value: (each) => health(each).words,
          cell: (each) => <Health endpoint={each} />,
        },
      ]}
      empty={{ icon: 'webhook', title: text.noWebhooks, hint: text.noWebhooksHint }}
      create={{ label: text.webhookNew, onCreate: create }}
    >
      {dialog}
    </TablePage>
  );
};
export default Webhooks;
