import { type JSX, useState } from 'react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useInspectable } from '../../app/inspected.ts';
import { Button } from '../../components/basics.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { Icon } from '../../components/icons.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { api } from '../../data/client.ts';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { useDeliveryTable } from './delivery-table.tsx';
import { ReplayDialog } from './replay-dialog.tsx';

const statuses = ['pending', 'delivered', 'failed', 'aborted'] as const;
type Status = (typeof statuses)[number];

/** The deliveries of a status, or all: of one webhook, or of all of them. */
const useDeliveries = (status: Status | undefined, id: number | undefined) => {
  const query = { limit: 50, ...(status === undefined ? {} : { status }) };
  useInspectable({ title: useText(developersText).deliveries, call: { operation: 'listAllDeliveries', input: { query } } });
  return useInfiniteQuery({
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
};

/** What was sent to the company's own systems, over all of them: how it ended, and what to send again. */
const Deliveries = (): JSX.Element => {
  const text = useText(developersText);
  const [status, setStatus] = useFilter('status');
  const [webhook, setWebhook] = useFilter('webhook');
  const [isReplaying, setReplaying] = useState(false);
  const webhooks = useQuery(read('listWebhooks')).data?.data ?? [];
  const id = webhook === undefined ? undefined : Number(webhook);
  const wanted = statuses.find((each) => each === status);
  const query = useDeliveries(wanted, id);
  const rows = (query.data?.pages ?? []).flatMap((page) => page.data);
  const { columns, keyOf, dialog } = useDeliveryTable(rows);
  const isFiltered = wanted !== undefined || id !== undefined;
  const toWebhooks = (
    <Link className="button primary" to="/developers/webhooks">
      <Icon name="webhook" />
      {text.webhooks}
    </Link>
  );
  return (
    <TablePage
      title={text.deliveries}
      file="deliveries"
      query={query}
      rows={rows}
      columns={columns}
      keyOf={keyOf}
      actions={
        <Button icon="refresh" onClick={() => setReplaying(true)}>
          {text.replay}
        </Button>
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
      empty={
        isFiltered
          ? { icon: 'send', title: text.noMatch }
          : { icon: 'send', title: text.noDeliveries, hint: text.noDeliveriesHint, more: toWebhooks }
      }
      onEnd={() => {
        if (query.hasNextPage && !query.isFetching) void query.fetchNextPage();
      }}
    >
      {dialog}
      {isReplaying && <ReplayDialog {...(id === undefined ? {} : { webhookId: id })} onClose={() => setReplaying(false)} />}
    </TablePage>
  );
};
export default Deliveries;
