import { type JSX, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { WebhookEndpoint } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Empty, Loading } from '../../components/basics.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { SecretDialog } from '../../components/secret.tsx';
import { type Column, CsvButton, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { api, type Input } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { Health, useHealth } from './endpoint-health.tsx';

/** The company's own systems that get its events, and whether they accept them. */
const Webhooks = (): JSX.Element => {
  const text = useText(developersText);
  const { data, error, isPending, refetch } = useQuery({ ...read('listWebhooks'), refetchInterval: 15_000 });
  const [isNew, setNew] = useState(false);
  const [secret, setSecret] = useState<string>();
  const health = useHealth();
  useInspectable({ title: text.webhooks, object: data?.data, call: { operation: 'listWebhooks', input: {} } });
  const create = useWrite(
    (body: Input<'createWebhook'>['body'], call) => api.createWebhook({ body }, call),
    ({ data: endpoint }) => {
      setNew(false);
      setSecret(endpoint.secret);
      void refresh('listWebhooks');
    },
  );
  const rows = data?.data ?? [];
  const columns = useMemo(
    (): Column<WebhookEndpoint>[] => [
      {
        id: 'url',
        name: text.url,
        width: 'minmax(10rem, 3fr)',
        value: ({ url }) => url,
        cell: ({ id, url }) => (
          <Link className="row-link" to={`/developers/webhooks/${id}` as never} title={url}>
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
      {
        id: 'success',
        name: text.lastSuccess,
        width: '7rem',
        value: ({ last_success_at }) => last_success_at,
        cell: ({ last_success_at }) =>
          last_success_at === null ? <span className="muted">{text.never}</span> : <Time at={last_success_at} />,
        isExtra: true,
      },
      {
        id: 'health',
        name: text.health,
        width: '9.5rem',
        value: (each) => health(each).words,
        cell: (each) => <Health endpoint={each} />,
      },
    ],
    [text, health],
  );
  return (
    <Page
      title={text.webhooks}
      isTable
      actions={
        <>
          <CsvButton name="webhooks" columns={columns} rows={rows} />
          <Button look="primary" icon="plus" onClick={() => setNew(true)}>
            {text.webhookNew}
          </Button>
        </>
      }
    >
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <Loading />}
      {data && rows.length === 0 && (
        <Empty icon="webhook" title={text.noWebhooks}>
          <p>{text.noWebhooksHint}</p>
          <Button look="primary" icon="plus" onClick={() => setNew(true)}>
            {text.webhookNew}
          </Button>
        </Empty>
      )}
      {rows.length > 0 && <Table label={text.webhooks} columns={columns} rows={rows} keyOf={({ id }) => id} />}
      {isNew && (
        <EndpointForm
          title={text.webhookNew}
          action={text.webhookCreate}
          write={create}
          onSubmit={(input) => create.run(input)}
          onClose={() => {
            setNew(false);
            create.reset();
          }}
        />
      )}
      {secret !== undefined && (
        <SecretDialog
          title={text.webhookCreated}
          secrets={[{ name: text.sigSecret, value: secret }]}
          onClose={() => {
            setSecret(undefined);
            create.reset();
          }}
        />
      )}
    </Page>
  );
};
export default Webhooks;
