import type { JSX } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CampaignResult } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { times } from '../../components/columns.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import type { Column } from '../../components/table.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { formatCount } from '../../components/time.tsx';
import { read } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { type TextOf, useLocale, useText } from '../../text/text.ts';
import { nameColumn } from './name-column.tsx';

const orders = ['newest', 'delivery', 'read', 'reply', 'opt_out', 'failure'] as const;
type Rate = keyof CampaignResult['rates'];

const nameOf = (text: TextOf<typeof campaignsText>, order: (typeof orders)[number]): string =>
  ({
    newest: text.newest,
    delivery: text.delivered,
    read: text.read,
    reply: text.replied,
    opt_out: text.outOptedOut,
    failure: text.failedMessages,
  })[order];

/** The newest campaigns beside each other: how many of their messages got how far, the best first by what is chosen. */
const Comparison = (): JSX.Element => {
  const text = useText(campaignsText);
  const [order, setOrder] = useFilter('sort');
  const [templateId] = useFilter('template');
  const sort = orders.find((each) => each === order) ?? 'newest';
  const input = { query: { sort, limit: 100, ...(templateId === undefined ? {} : { template_id: Number(templateId) }) } };
  const query = useQuery({ ...read('compareCampaigns', input), placeholderData: keepPreviousData });
  useInspectable({ title: text.comparison, call: { operation: 'compareCampaigns', input } });
  const { campaigns = [], is_partial: isPartial = false } = query.data?.data ?? {};
  return (
    <TablePage
      title={text.comparison}
      file="campaign-results"
      query={query}
      rows={campaigns}
      columns={useColumns()}
      leading={isPartial && <span className="muted">{text.newestOnly(campaigns.length)}</span>}
      filters={
        <FilterSelect
          label={text.sortedBy}
          value={sort}
          choices={orders.map((each) => [each, nameOf(text, each)] as const)}
          onText={setOrder}
        />
      }
      empty={{ icon: 'chart', title: text.noResults, hint: text.noResultsHint }}
    />
  );
};
export default Comparison;

const useColumns = (): Column<CampaignResult>[] => {
  const text = useText(campaignsText);
  const { tag } = useLocale();
  const percent = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 });
  const rate = (name: Rate, of: (result: CampaignResult) => number, isExtra = false): Column<CampaignResult> => ({
    id: name,
    name: nameOf(text, name),
    width: '7.5rem',
    value: ({ rates }) => rates[name],
    cell: (result) => (
      <span className="rate" title={formatCount(tag, of(result))}>
        <span className="numbers">{percent.format(result.rates[name])}</span>
        <span className={`rate-bar ${name === 'failure' || name === 'opt_out' ? 'bad' : ''}`}>
          <span style={{ width: `${result.rates[name] * 100}%` }} />
        </span>
      </span>
    ),
    isNumber: true,
    isExtra,
  });
  return [
    nameColumn(text.name),
    { id: 'template', name: text.template, width: 'minmax(7rem, 1fr)', value: ({ template }) => template.name, isExtra: true },
    { id: 'recipients', name: text.recipients, width: '6rem', value: ({ recipients }) => recipients, isNumber: true, isExtra: true },
    rate('delivery', ({ funnel }) => funnel.delivered, true),
    rate('read', ({ funnel }) => funnel.read),
    rate('reply', ({ funnel }) => funnel.replied),
    rate('opt_out', ({ funnel }) => funnel.opted_out, true),
    rate('failure', ({ failed }) => failed, true),
    times('started_at', text.started, { width: '7rem', isNumber: true, isExtra: true }),
  ];
};
