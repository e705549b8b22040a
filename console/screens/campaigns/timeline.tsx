import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { CampaignDetails } from '../../../client/client.ts';
import { Time } from '../../components/time.tsx';
import { read } from '../../data/queries.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useText } from '../../text/text.ts';
import { stepsOf } from './campaign-steps.ts';

/** What happened to a campaign and when, oldest first: from the event log, and where that ends, from its own times. */
export const CampaignTimeline = ({ campaign }: { campaign: CampaignDetails }): JSX.Element => {
  const text = useText(campaignsText);
  const query = { subject: `campaign:${campaign.id}`, types: 'campaign.updated,campaign.paused,campaign.completed', limit: 100 };
  const { data } = useQuery(read('listEvents', { query }));
  return (
    <section className="campaign-part">
      <h2>{text.timeline}</h2>
      <ol className="campaign-steps">
        {stepsOf(campaign, data?.data ?? [], text).map(({ id, at, words }) => (
          <li key={id}>
            <Time at={at} exact />
            <span>{words}</span>
          </li>
        ))}
      </ol>
    </section>
  );
};
