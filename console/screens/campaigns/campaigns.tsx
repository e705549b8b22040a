import type { JSX } from 'react';
import { Link, useNavigate } from '@tanstack/react-router';
import type { Campaign } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { badges, times } from '../../components/columns.tsx';
import { FilterSelect } from '../../components/fields.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { useRows } from '../../data/pages.ts';
import { useFilter } from '../../data/search.ts';
import { useMay } from '../../data/session.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useText } from '../../text/text.ts';
import { useAudienceNames } from './audience.ts';
import { stateOf } from './campaign-words.ts';
import { nameColumn } from './name-column.tsx';

/** In the order in which a campaign goes through them. */
const listedStatuses = ['queued', 'constructing', 'scheduled', 'sending', 'paused', 'completed', 'failed'] as const;

/** What is sent to many: which campaigns wait, which are under way, and how the others ended. */
const Campaigns = (): JSX.Element => {
  const text = useText(campaignsText);
  const navigate = useNavigate();
  const mayWrite = useMay('member');
  const [search, setSearch] = useFilter('q');
  const [status, setStatus] = useFilter('status');
  const state = listedStatuses.find((each) => each === status);
  const input = {
    query: { limit: 50, ...(search === undefined ? {} : { search }), ...(state === undefined ? {} : { status: state }) },
  };
  const { rows, hasMore, readOn, ...query } = useRows('listCampaigns', input);
  const audienceOf = useAudienceNames(rows);
  useInspectable({ title: text.campaigns, call: { operation: 'listCampaigns', input } });
  return (
    <TablePage
      title={text.campaigns}
      file="campaigns"
      create={mayWrite ? { label: text.newCampaign, onCreate: () => void navigate({ to: '/campaigns/new' }) } : undefined}
      actions={
        <Link className="button" to="/campaigns/comparison">
          {text.compare}
        </Link>
      }
      query={query}
      rows={rows}
      columns={[
        nameColumn(text.name),
        badges<Campaign>(
          { id: 'status', name: text.status, width: '7.5rem', value: ({ status }) => stateOf(text, status).name },
          ({ status }) => stateOf(text, status).look,
        ),
        { id: 'template', name: text.template, width: 'minmax(8rem, 1fr)', value: ({ template }) => template.name, isExtra: true },
        { id: 'audience', name: text.audience, width: 'minmax(6rem, 1fr)', value: audienceOf, isExtra: true },
        {
          id: 'people',
          name: text.recipients,
          width: '7rem',
          isExtra: true,
          value: (row) => (row.audience_count === 0 ? '–' : row.audience_count),
          isNumber: true,
        },
        times('send_time', text.starts, { width: '9rem', isNumber: true, isExtra: true, none: text.atOnce }),
        times('created_at', text.created, { width: '8rem', isNumber: true, isExtra: true }),
      ]}
      filters={
        <>
          <FilterText label={text.search} value={search} onText={setSearch} />
          <FilterSelect
            label={text.status}
            value={state}
            choices={[['', text.all], ...listedStatuses.map((each) => [each, stateOf(text, each).name] as const)]}
            onText={setStatus}
          />
        </>
      }
      empty={
        search === undefined && state === undefined
          ? { icon: 'megaphone', title: text.none, hint: text.noneHint }
          : { icon: 'megaphone', title: text.noMatch }
      }
      hasMore={hasMore}
      onEnd={readOn}
    />
  );
};
export default Campaigns;
