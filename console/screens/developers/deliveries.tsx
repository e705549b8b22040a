import { type JSX, useMemo, useState } from 'react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Empty, Loading } from '../../components/basics.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { Icon } from '../../components/icons.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { CsvButton } from '../../components/table.tsx';
import { api } from '../../data/client.ts';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { DeliveryList, useDeliveryColumns } from './delivery-list.tsx';
import { ReplayDialog } from './replay-dialog.tsx';

const statuses = ['pending', 'delivered', 'failed', 'aborted'] as const;

/** What was sent to the company's own systems, over all of them: how it ended, and what to send again. */
const Deliveries = (): JSX.Element => {
  const text = useText(developersText);
  const [status, setStatus] = useFilter('status');
  const [webhook, setWebhook] = useFilter('webhook');
  const [, setOpened] = useFilter('delivery');
  const [isReplaying, setReplaying] = useState(false);
  const webhooks = useQuery(read('listWebhooks')).data?.data ?? [];
  const id = webhook === undefined ? undefined : Number(webhook);
  const wanted = statuses.find((each) => each === status);
  const query = useMemo(() => ({ limit: 50, ...(wanted === undefined ? {} : { status: wanted }) }), [wanted]);
  const { data, error, isPending, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['listAllDeliveries', { query, id }, 'pages'],
    queryFn: ({ signal, pageParam }) => {
      const paged = { ...query, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return id === undefined
        ? api.listAllDeliveries({ query: paged }, { signal })
        : api.listDeliveries({ params: { id }, query: paged }, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ meta }) => meta.next_cursor,
    // as long as one page is shown, what happens meanwhile comes by itself
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? 4_000 : false),
  });
  const rows = useMemo(() => (data?.pages ?? []).flatMap((page) => page.data), [data]);
  const columns = useDeliveryColumns(setOpened);
  useInspectable({ title: text.deliveries, call: { operation: 'listAllDeliveries', input: { query } } });
  const isFiltered = wanted !== undefined || id !== undefined;
  return (
    <Page
      title={text.deliveries}
      isTable
      actions={
        <>
          <CsvButton name="deliveries" columns={columns} rows={rows} />
          <Button icon="refresh" onClick={() => setReplaying(true)}>
            {text.replay}
          </Button>
        </>
      }
      filters={
        <>
          <FilterSelect
            label={text.status}
            value={status}
            choices={[['', text.all], ...statuses.map((each) => [each, text[each]] as const)]}
            onText={setStatus}
          />
          <FilterSelect
            label={text.endpoint}
            value={webhook}
            choices={[['', text.all], ...webhooks.map((each) => [String(each.id), each.url] as const)]}
            onText={setWebhook}
          />
        </>
      }
    >
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <Loading />}
      {data && rows.length === 0 && (
        <Empty icon="send" title={isFiltered ? text.noMatch : text.noDeliveries}>
          {!isFiltered && (
            <>
              <p>{text.noDeliveriesHint}</p>
              <Link className="button primary" to={'/developers/webhooks' as never}>
                <Icon name="webhook" />
                {text.webhooks}
              </Link>
            </>
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <DeliveryList
          rows={rows}
          onEnd={() => {
            if (hasNextPage && !isFetching) void fetchNextPage();
          }}
        />
      )}
      {isReplaying && <ReplayDialog {...(id === undefined ? {} : { webhookId: id })} onClose={() => setReplaying(false)} />}
    </Page>
  );
};
export default Deliveries;
