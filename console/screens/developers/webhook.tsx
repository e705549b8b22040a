import type { JSX, ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { WebhookDelivery, WebhookEndpoint } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Shown } from '../../components/shown.tsx';
import { Button, Copyable, Empty } from '../../components/basics.tsx';
import { Line } from '../../components/charts/line.tsx';
import { StackedProgress } from '../../components/charts/progress.tsx';
import type { RowAction } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { ConfirmDialog } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { Facts, Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { SecretDialog } from '../../components/secret.tsx';
import { CsvButton, Table } from '../../components/table.tsx';
import { formatTime, Time } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { developersText } from '../../text/developers.ts';
import { useLocale, useText } from '../../text/text.ts';
import { useDeliveryTable } from './delivery-table.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { Health } from './endpoint-health.tsx';
import { ReplayDialog } from './replay-dialog.tsx';

/** One endpoint: its health, its settings, and what was sent to it. */
const Webhook = (): JSX.Element => {
  const text = useText(developersText);
  const { id } = useParams({ from: '/shell/developers/webhooks/$id' });
  const input = { params: { id } };
  const query = useQuery({ ...read('getWebhook', input), refetchInterval: 5_000 });
  const endpoint = query.data?.data;
  useInspectable({ title: text.endpoint, subject: `webhook_endpoint:${id}`, object: endpoint, call: { operation: 'getWebhook', input } });
  const state = <Shown query={query}>{() => null}</Shown>;
  return endpoint ? <Endpoint endpoint={endpoint} state={state} /> : <Page title={text.endpoint}>{state}</Page>;
};
export default Webhook;

const reread = (): void => void refresh('getWebhook', 'listWebhooks', 'listDeliveries', 'listAllDeliveries');

const Endpoint = ({ endpoint, state }: { endpoint: WebhookEndpoint; state: ReactNode }): JSX.Element => {
  const text = useText(developersText);
  const params = { id: endpoint.id };
  const { dialog, open, close } = useDialog();
  const actions = useActions(endpoint, open, close);
  const test = useWrite(
    (_: undefined, call) => api.testWebhook({ params }, call),
    () => {
      toast(text.testSent);
      reread();
    },
  );
  const isActive = endpoint.status === 'active';
  const toggle = useWrite((status: 'active' | 'disabled', call) => api.updateWebhook({ params, body: { status } }, call), reread);
  const error = test.error ?? toggle.error;
  const entries: RowAction[] = [
    actions.edit,
    { id: 'toggle', label: isActive ? text.disable : text.enable, icon: 'bolt', run: () => toggle.run(isActive ? 'disabled' : 'active') },
    actions.rotate,
    actions.replay,
    actions.remove,
  ];
  return (
    <Page
      title={endpoint.url}
      actions={
        <>
          <Health endpoint={endpoint} />
          <Button icon="send" isSoftDisabled={test.isPending} onClick={() => test.run(undefined)}>
            {text.sendTest}
          </Button>
          <Menu
            label={text.actions}
            className="button icon"
            trigger={<Icon name="more" />}
            entries={entries}
            onSelect={(name) => entries.find(({ id }) => id === name)?.run()}
          />
        </>
      }
    >
      {state}
      {error && <ProblemCard error={error} />}
      <EndpointFacts endpoint={endpoint} />
      <Recent id={endpoint.id} />
      {dialog}
    </Page>
  );
};

/** What is done to an endpoint in a dialog. */
const useActions = (
  endpoint: WebhookEndpoint,
  open: (dialog: JSX.Element) => void,
  close: () => void,
): Record<'edit' | 'rotate' | 'replay' | 'remove', RowAction> => {
  const text = useText(developersText);
  const navigate = useNavigate();
  const params = { id: endpoint.id };
  const edit = (
    <EndpointForm
      title={text.webhookEdit}
      endpoint={endpoint}
      send={(body, call) => api.updateWebhook({ params, body }, call)}
      onDone={() => {
        close();
        reread();
      }}
      onClose={close}
    />
  );
  const rotate = (
    <ConfirmDialog
      title={text.rotateTitle(endpoint.url)}
      action={text.rotate}
      isDanger={false}
      send={(call) => api.rotateWebhookSecret({ params }, call)}
      onDone={({ data: { secret } }) => {
        open(<SecretDialog title={text.webhookRotated} secrets={[{ name: text.sigSecret, value: secret }]} onClose={close} />);
        reread();
      }}
      onClose={close}
    >
      <p>{text.webhookRotateText}</p>
    </ConfirmDialog>
  );
  const remove = (
    <ConfirmDialog
      title={text.webhookDelete}
      action={text.webhookDelete}
      send={(call) => api.deleteWebhook({ params }, call)}
      onDone={() => {
        toast(text.webhookDeleted);
        void refresh('listWebhooks');
        void navigate({ to: '/developers/webhooks' });
      }}
      onClose={close}
    >
      <p>{endpoint.url}</p>
      <p className="muted">{text.webhookDeleteText}</p>
    </ConfirmDialog>
  );
  return {
    edit: { id: 'edit', label: text.webhookEdit, icon: 'edit', run: () => open(edit) },
    rotate: { id: 'rotate', label: text.rotate, icon: 'key', run: () => open(rotate) },
    replay: {
      id: 'replay',
      label: text.replay,
      icon: 'refresh',
      run: () => open(<ReplayDialog webhookId={endpoint.id} onClose={close} />),
    },
    remove: { id: 'delete', label: text.webhookDelete, icon: 'trash', danger: true, run: () => open(remove) },
  };
};

const EndpointFacts = ({ endpoint }: { endpoint: WebhookEndpoint }): JSX.Element => {
  const text = useText(developersText);
  const at = (name: string, time: string | null, none?: string) =>
    time !== null ? ([name, <Time key={name} at={time} long />] as const) : none === undefined ? undefined : ([name, none] as const);
  return (
    <Facts
      facts={[
        ['Id', <Copyable key="id" value={String(endpoint.id)} />],
        [text.events, endpoint.events.includes('*') ? text.eventsAll : <code key="events">{endpoint.events.join(', ')}</code>],
        at(text.lastSuccess, endpoint.last_success_at, text.never),
        at(text.failingSince, endpoint.failing_since),
        at(text.previousSecretUntil, endpoint.previous_secret_expires_at),
        at(text.created, endpoint.created_at),
      ]}
    />
  );
};

/** What was sent lately: how it ended, how long the answers took, and the deliveries themselves. */
const Recent = ({ id }: { id: number }): JSX.Element => {
  const text = useText(developersText);
  const query = useQuery({ ...read('listDeliveries', { params: { id }, query: { limit: 50 } }), refetchInterval: 3_000 });
  return (
    <Shown query={query} rows={4}>
      {({ data: rows }) =>
        rows.length === 0 ? (
          <Empty icon="send" title={text.noDeliveries}>
            <p>{text.noDeliveriesOfOneHint}</p>
          </Empty>
        ) : (
          <RecentDeliveries id={id} rows={rows} />
        )
      }
    </Shown>
  );
};

const outcomes = { delivered: 'good', pending: 'warn', failed: 'bad', aborted: 'rest' } as const;

const RecentDeliveries = ({ id, rows }: { id: number; rows: readonly WebhookDelivery[] }): JSX.Element => {
  const text = useText(developersText);
  const { tag } = useLocale();
  const { columns, keyOf, dialog } = useDeliveryTable(rows);
  // all are of one endpoint, which is named above
  const shown = columns.filter((column) => column.id !== 'endpoint');
  const tries = rows.flatMap((row) => row.tries).toSorted((a, b) => a.at.localeCompare(b.at));
  return (
    <>
      <div className="chart-row">
        <StackedProgress
          title={text.recentOutcomes}
          axis={text.outcome}
          parts={(['delivered', 'pending', 'failed', 'aborted'] as const).map((status) => ({
            name: text[status],
            colour: outcomes[status],
            value: rows.filter((each) => each.status === status).length,
            link: { to: '/developers/deliveries', search: { webhook: id, status } },
          }))}
        />
        <Line
          title={text.responseTimes}
          axis={text.time}
          series={[{ name: text.milliseconds, colour: 1 }]}
          points={tries.map(({ at, ms }) => ({ label: formatTime(tag, at, { timeStyle: 'medium' }), values: [ms] }))}
        />
      </div>
      <div className="row">
        <h2 className="grow">{text.recentDeliveries}</h2>
        <CsvButton name={`deliveries-${id}`} of={text.recentDeliveries} columns={shown} rows={rows} />
      </div>
      <Table label={text.deliveries} columns={shown} rows={rows} keyOf={keyOf} />
      {dialog}
    </>
  );
};
