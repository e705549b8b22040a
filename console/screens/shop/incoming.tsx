import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { ReceiverPost } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Badge, type BadgeLook } from '../../components/basics.tsx';
import { times } from '../../components/columns.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { useRows } from '../../data/pages.ts';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { shopText } from '../../text/shop.ts';
import { useText } from '../../text/text.ts';

const receivers = ['storeplatform', 'webshop', 'checkout', 'logistics', 'custom'] as const;
const outcomes = ['queued', 'applied', 'ignored', 'refused'] as const;

/** What stores, carriers and own systems posted in the last week: what was taken, and what was refused for which reason. */
const Incoming = (): JSX.Element => {
  const text = useText(shopText);
  const [receiver, setReceiver] = useFilter('receiver');
  const [outcome, setOutcome] = useFilter('outcome');
  const [from, to] = [receivers.find((each) => each === receiver), outcomes.find((each) => each === outcome)];
  const input = { query: { limit: 50, ...(from === undefined ? {} : { receiver: from }), ...(to === undefined ? {} : { outcome: to }) } };
  const { rows, hasMore, readOn, ...query } = useRows('listReceiverPosts', input);
  useInspectable({ title: text.incoming, call: { operation: 'listReceiverPosts', input } });
  const addresses = useQuery(read('listMachineTokens')).data?.data;
  const receiverNames: Readonly<Record<ReceiverPost['receiver'], string>> = {
    storeplatform: 'Shopify',
    webshop: 'WooCommerce',
    checkout: text.sourceCheckout,
    logistics: text.sourceLogistics,
    custom: text.sourceErp,
  };
  const nameOf = (post: ReceiverPost): string =>
    addresses?.find(({ id, name }) => id === post.credential_id && name !== '')?.name ?? receiverNames[post.receiver];
  const outcomeNames: Readonly<Record<ReceiverPost['outcome'], string>> = {
    queued: text.postQueued,
    applied: text.postApplied,
    ignored: text.postIgnored,
    refused: text.postRefused,
  };
  const isFiltered = from !== undefined || to !== undefined;
  return (
    <TablePage
      title={text.incoming}
      file="incoming"
      query={query}
      rows={rows}
      columns={[
        { id: 'from', name: text.source, width: 'minmax(7rem, 1.4fr)', value: nameOf },
        {
          id: 'topic',
          name: text.topic,
          width: 'minmax(8rem, 1.6fr)',
          value: ({ topic }) => topic,
          cell: ({ topic }) => <code className="cut">{topic}</code>,
          isExtra: true,
        },
        { id: 'about', name: text.about, width: 'minmax(6rem, 1.4fr)', value: ({ about }) => about, isExtra: true },
        {
          id: 'outcome',
          name: text.outcome,
          width: 'minmax(8rem, 2.4fr)',
          value: (post) => `${outcomeNames[post.outcome]} ${post.code ?? ''}`.trim(),
          cell: (post) => <Outcome post={post} />,
        },
        times('received_at', text.time, { width: '8rem', isNumber: true, isExact: true }),
      ]}
      filters={
        <>
          <FilterSelect
            label={text.source}
            value={receiver}
            choices={[['', text.all], ...receivers.map((each) => [each, receiverNames[each]] as const)]}
            onText={setReceiver}
          />
          <FilterSelect
            label={text.outcome}
            value={outcome}
            choices={[['', text.all], ...outcomes.map((each) => [each, outcomeNames[each]] as const)]}
            onText={setOutcome}
          />
        </>
      }
      empty={isFiltered ? { icon: 'link', title: text.noMatch } : { icon: 'link', title: text.noPosts, hint: text.noPostsHint }}
      hasMore={hasMore}
      onEnd={readOn}
    />
  );
};
export default Incoming;

/** A post that was taken is applied within seconds; the exceptions are seen. */
const Outcome = ({ post: { outcome, code, fields, is_signed: isSigned, applied_at: applied } }: { post: ReceiverPost }): JSX.Element => {
  const text = useText(shopText);
  const reasons: Readonly<Record<string, string>> = {
    invalid_signature: text.refusedSignature,
    invalid_json: text.refusedJson,
    validation_failed: text.refusedFields(fields.join(', ')),
    order_not_found: text.refusedOrder,
    conflict: text.refusedConflict,
  };
  const [look, words]: readonly [BadgeLook, string] =
    outcome === 'refused'
      ? ['bad', text.postRefused]
      : outcome === 'ignored'
        ? ['', text.postIgnored]
        : applied === null
          ? ['warn', text.postQueued]
          : ['good', text.postApplied];
  const more = outcome === 'refused' ? (reasons[code ?? ''] ?? code ?? '') : isSigned ? '' : text.unsigned;
  return (
    <span className="row" title={more}>
      <Badge look={look}>{words}</Badge>
      <span className="cut muted">{more}</span>
    </span>
  );
};
