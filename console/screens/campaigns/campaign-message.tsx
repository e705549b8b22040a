import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { CampaignDetails } from '../../../client/client.ts';
import { Loading } from '../../components/basics.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { partsOf } from '../../components/template-parts.ts';
import { SwitchboardProblem } from '../../data/client.ts';
import { read } from '../../data/queries.ts';
import { campaignsText } from '../../text/campaigns.ts';
import { useText } from '../../text/text.ts';
import { fillingsOf } from './campaign-values.ts';
import { RecipientPhone } from './recipient-phone.tsx';

/** As many recipients as are gone through. */
const shown = 20;

/** What is sent, with the values of one recipient after another. */
export const CampaignMessage = ({ campaign }: { campaign: CampaignDetails }): JSX.Element => {
  const text = useText(campaignsText);
  const { id, template_id: templateId, statistics } = campaign;
  const template = useQuery({ ...read('getTemplate', { params: { id: templateId } }), staleTime: 60_000, retry: false });
  const messages = useQuery({
    ...read('listCampaignMessages', { params: { id }, query: { limit: shown } }),
    enabled: statistics.total > 0,
    staleTime: 60_000,
  });
  const recipients = (messages.data?.data ?? []).flatMap(({ contact_id, phone }) =>
    phone === null ? [] : [{ contact_id, name: null, phone }],
  );
  const isGone = template.error instanceof SwitchboardProblem && template.error.status === 404;
  return (
    <section className="campaign-part campaign-message" aria-label={text.message}>
      <h2>{text.message}</h2>
      {template.isPending && <Loading rows={2} />}
      {isGone && <p className="muted">{text.templateGone}</p>}
      {template.error && !isGone && !template.data && <ProblemCard error={template.error} onRetry={() => void template.refetch()} />}
      {template.data && <RecipientPhone parts={partsOf(template.data.data)} fillings={fillingsOf(campaign)} recipients={recipients} />}
    </section>
  );
};
