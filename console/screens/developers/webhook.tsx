import { type JSX, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { WebhookDelivery } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Copyable, Empty, Loading } from '../../components/basics.tsx';
import { Line } from '../../components/charts/line.tsx';
import { StackedProgress } from '../../components/charts/progress.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { Facts, Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { SecretDialog } from '../../components/secret.tsx';
import { formatTime, Time } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api, type Input } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { developersText } from '../../text/developers.ts';
import { useLocale, useText } from '../../text/text.ts';
import { DeliveryList } from './delivery-list.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { Health } from './endpoint-health.tsx';
import { ReplayDialog } from './replay-dialog.tsx';

type Opened = 'edit' | 'delete' | 'rotate' | 'replay' | undefined;

/** One endpoint: its health, its settings, and what was sent to it. */
const Webhook = (): JSX.Element => {
  const text = useText(developersText);
  const navigate = useNavigate();
  const id = Number((useParams({ strict: false }) as { id?: string }).id);
  const input = { params: { id } };
  const { data, error, isPending, refetch } = useQuery({ ...read('getWebhook', input), refetchInterval: 5_000 });
  const [opened, setOpened] = useState<Opened>();
  const [secret, setSecret] = useState<string>();
  const endpoint = data?.data;
  useInspectable({ title: text.endpoint, subject: `webhook_endpoint:${id}`, object: endpoint, call: { operation: 'getWebhook', input } });
  const reread = (): void => void refresh('getWebhook', 'listWebhooks', 'listDeliveries', 'listAllDeliveries');
  const close = (): void => setOpened(undefined);
  const change = useWrite(
    (body: Input<'updateWebhook'>['body'], call) => api.updateWebhook({ params: { id }, body }, call),
    () => {
      close();
      reread();
    },
  );
  const test = useWrite(
    (_: undefined, call) => api.testWebhook({ params: { id } }, call),
    () => {
      toast(text.testSent);
      reread();
    },
  );
  const rotate = useWrite(
    (_: undefined, call) => api.rotateWebhookSecret({ params: { id } }, call),
    ({ data: rotated }) => {
      close();
      setSecret(rotated.secret);
      reread();
    },
  );
  const remove = useWrite(
    (_: undefined, call) => api.deleteWebhook({ params: { id } }, call),
    () => {
      toast(text.webhookDeleted);
      void refresh('listWebhooks');
      void navigate({ to: '/developers/webhooks' } as never);
    },
  );
  const setStatus = (status: 'active' | 'disabled'): void => change.run({ status });
  if (error)
    return (
      <Page title={text.endpoint}>
        <ProblemCard error={error} onRetry={() => void refetch()} />
      </Page>
    );
  if (isPending || !endpoint)
    return (
      <Page title={text.endpoint}>
        <Loading />
      </Page>
    );
  return (
    <Page
      title={endpoint.url}
      actions={
        <>
          <Health endpoint={endpoint} />
          <Button icon="send" disabled={test.isPending} onClick={() => test.run(undefined)}>
            {text.sendTest}
          </Button>
          <Menu
            label={text.actions}
            className="button icon"
            trigger={<Icon name="more" />}
            entries={[
              { id: 'edit', label: text.webhookEdit, icon: 'edit' },
              { id: 'toggle', label: endpoint.status === 'active' ? text.disable : text.enable, icon: 'bolt' },
              { id: 'rotate', label: text.rotate, icon: 'key' },
              { id: 'replay', label: text.replay, icon: 'refresh' },
              { id: 'delete', label: text.webhookDelete, icon: 'trash', danger: true },
            ]}
            onSelect={(name) =>
              name === 'toggle' ? setStatus(endpoint.status === 'active' ? 'disabled' : 'active') : setOpened(name as Opened)
            }
          />
        </>
      }
    >
      {(test.error ?? (opened === undefined ? change.error : null)) && <ProblemCard error={test.error ?? change.error} />}
      <Facts
        facts={[
          ['Id', <Copyable key="id" value={String(endpoint.id)} />],
          [text.events, endpoint.events.includes('*') ? text.eventsAll : <code key="events">{endpoint.events.join(', ')}</code>],
          [text.lastSuccess, endpoint.last_success_at === null ? text.never : <Time key="success" at={endpoint.last_success_at} long />],
          ...(endpoint.failing_since === null
            ? []
            : [[text.failingSince, <Time key="failing" at={endpoint.failing_since} long />] as const]),
          ...(endpoint.previous_secret_expires_at === null
            ? []
            : [[text.previousSecretUntil, <Time key="previous" at={endpoint.previous_secret_expires_at} long />] as const]),
          [text.created, <Time key="created" at={endpoint.created_at} long />],
        ]}
      />
      <Recent id={id} />
      {opened === 'edit' && (
        <EndpointForm title={text.webhookEdit} endpoint={endpoint} write={change} onSubmit={(given) => change.run(given)} onClose={close} />
      )}
      {opened === 'rotate' && (
        <FormDialog
          title={text.rotateTitle(endpoint.url)}
          action={text.rotate}
          write={rotate}
          onSubmit={() => rotate.run(undefined)}
          onClose={close}
        >
          <p>{text.webhookRotateText}</p>
        </FormDialog>
      )}
      {opened === 'delete' && (
        <FormDialog
          title={text.webhookDelete}
          action={text.webhookDelete}
          isDanger
          write={remove}
          onSubmit={() => remove.run(undefined)}
          onClose={close}
        >
          <p>{endpoint.url}</p>
          <p className="muted">{text.webhookDeleteText}</p>
        </FormDialog>
      )}
      {opened === 'replay' && <ReplayDialog webhookId={id} onClose={close} />}
      {secret !== undefined && (
        <SecretDialog
          title={text.webhookRotated}
          secrets={[{ name: text.sigSecret, value: secret }]}
          onClose={() => {
            setSecret(undefined);
            rotate.reset();
          }}
        />
      )}
    </Page>
  );
};
export default Webhook;

/** What was sent lately: how it ended, how long the answers took, and the deliveries themselves. */
const Recent = ({ id }: { id: number }): JSX.Element => {
  const text = useText(developersText);
  const { tag } = useLocale();
  const input = useMemo(() => ({ params: { id }, query: { limit: 50 } }), [id]);
  const { data, error, refetch } = useQuery({ ...read('listDeliveries', input), refetchInterval: 3_000 });
  const rows = data?.data ?? [];
  const count = (status: WebhookDelivery['status']): number => rows.filter((each) => each.status === status).length;
  const points = useMemo(
    () =>
      (data?.data ?? [])
        .flatMap(({ tries }) => tries)
        .toSorted((a, b) => a.at.localeCompare(b.at))
        .map(({ at, ms }) => ({ label: formatTime(tag, at, { timeStyle: 'medium' }), values: [ms] })),
    [data, tag],
  );
  if (error) return <ProblemCard error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={4} />;
  if (rows.length === 0)
    return (
      <Empty icon="send" title={text.noDeliveries}>
        <p>{text.noDeliveriesOfOneHint}</p>
      </Empty>
    );
  return (
    <>
      <div className="chart-row">
        <StackedProgress
          title={text.recentOutcomes}
          axis={text.outcome}
          parts={[
            { name: text.delivered, colour: 'good', value: count('delivered') },
            { name: text.pending, colour: 'warn', value: count('pending') },
            { name: text.failed, colour: 'bad', value: count('failed') },
            { name: text.aborted, colour: 'rest', value: count('aborted') },
          ]}
        />
        <Line title={text.responseTimes} axis={text.time} series={[{ name: text.milliseconds, colour: 1 }]} points={points} />
      </div>
      <h2>{text.recentDeliveries}</h2>
      <DeliveryList rows={rows} isOfOne />
    </>
  );
};
