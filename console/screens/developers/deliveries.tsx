import { type JSX, useMemo, useState } from 'react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useInspectable } from '../../app/inspected.ts';
import { Button } from '../../components/basics.tsx';
import { type Choice, FilterSelect } from '../../components/fields.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import { Icon } from '../../components/icons.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { api, type Input } from '../../data/client.ts';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { useDeliveryTable } from './delivery-table.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { isSince, sinces, timeSince } from './since.ts';
import { webhookEvents } from './webhook-events.ts';

const statuses = ['pending', 'delivered', 'failed', 'aborted'] as const;

type Filters = Omit<NonNullable<Input<'listAllDeliveries'>['query']>, 'limit' | 'cursor'>;

/** Some deliveries, or all: of one webhook, or of all of them. */
const useDeliveries = (filters: Filters, id: number | undefined) => {
  const query = { limit: 50, ...filters };
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
  const [webhook, setWebhook] = useFilter('webhook');
  const [isReplaying, setReplaying] = useState(false);
  const webhooks = useQuery(read('listWebhooks')).data?.data ?? [];
  const id = webhook === undefined ? undefined : Number(webhook);
  const { filters, controls } = useFilters();
  const query = useDeliveries(filters, id);
  const rows = (query.data?.pages ?? []).flatMap((page) => page.data);
  const { columns, keyOf, dialog } = useDeliveryTable(rows);
  const isFiltered = Object.keys(filters).length > 0 || id !== undefined;
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
          {controls}
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

const events = [...webhookEvents, 'webhook.test'] as const;
/** The answers that are looked for most. */
const codes = ['200', '400', '401', '403', '404', '410', '429', '500', '502', '503', '504'];

/** The choices with the one that the address names, which may be any. */
const withChosen = (choices: readonly string[], chosen: string | undefined): readonly string[] =>
  chosen === undefined || choices.includes(chosen) ? choices : [...choices, chosen];

/** What narrows the list, from the address of the page, and its controls. */
const useFilters = (): { filters: Filters; controls: JSX.Element } => {
  const text = useText(developersText);
  const [status, setStatus] = useFilter('status');
  const [event, setEvent] = useFilter('types');
  const [code, setCode] = useFilter('code');
  const [since, setSince] = useFilter('from');
  const [eventId, setEventId] = useFilter('q');
  const wanted = statuses.find((each) => each === status);
  const wantedEvent = events.find((each) => each === event);
  // a time of its own for each choice: with the clock the list would be another one at each drawing
  const from = useMemo(() => (isSince(since) ? timeSince(since) : undefined), [since]);
  const select = (label: string, value: string | undefined, choices: readonly Choice[], onText: (value: string) => void): JSX.Element => (
    <FilterSelect label={label} value={value} choices={[['', text.all], ...choices]} onText={onText} />
  );
  const sinceNames = { hour: text.sinceHour, day: text.sinceDay, week: text.sinceWeek, month: text.sinceMonth };
  return {
    filters: {
      ...(wanted === undefined ? {} : { status: wanted }),
      ...(wantedEvent === undefined ? {} : { event: wantedEvent }),
      ...(code === undefined ? {} : { response_status: Number(code) }),
      ...(from === undefined ? {} : { from }),
      ...(eventId === undefined ? {} : { event_id: eventId }),
    },
    controls: (
      <>
        {select(
          text.status,
          status,
          statuses.map((each) => [each, text[each]]),
          setStatus,
        )}
        {select(
          text.event,
          event,
          withChosen(events, event).map((each) => [each, each]),
          setEvent,
        )}
        {select(
          text.answer,
          code,
          withChosen(codes, code).map((each) => [each, `HTTP ${each}`]),
          setCode,
        )}
        {select(
          text.since,
          since,
          sinces.map((each) => [each, sinceNames[each]]),
          setSince,
        )}
        <FilterText label={text.eventId} value={eventId} onText={setEventId} />
      </>
    ),
  };
};
