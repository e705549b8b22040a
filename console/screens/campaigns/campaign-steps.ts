import type { CampaignDetails, Event as LoggedEvent } from '../../../client/client.ts';
import type { campaignsText } from '../../text/campaigns.ts';
import type { TextOf } from '../../text/text.ts';
import { pauseOf } from './campaign-words.ts';

type Text = TextOf<typeof campaignsText>;

/** One thing that happened to a campaign. */
export interface CampaignStep {
  id: string;
  at: string;
  words: string;
}

type Times = Pick<CampaignDetails, 'created_at' | 'started_at' | 'completed_at' | 'send_time' | 'status'>;

/** Oldest first. Events are gone after 30 days: what the campaign's own times say of before them stands in their place. */
export const stepsOf = (campaign: Times, events: readonly LoggedEvent[], text: Text): CampaignStep[] => {
  const logged = events.flatMap((event) => {
    const words = wordsOf(event, text);
    return words === undefined ? [] : [{ id: event.id, at: event.at, words }];
  });
  const isLogged = events.some(({ type }) => type === 'campaign.completed');
  const own = (at: string | null, words: string): CampaignStep[] => (at === null ? [] : [{ id: words, at, words }]);
  return [
    ...own(campaign.created_at, text.wasCreated),
    ...own(campaign.started_at, text.firstSent),
    ...own(isLogged ? null : campaign.completed_at, text.wasCompleted),
    ...logged,
  ].sort((a, b) => a.at.slice(0, 19).localeCompare(b.at.slice(0, 19)));
};

const wordsOf = (event: LoggedEvent, text: Text): string | undefined => {
  switch (event.type) {
    case 'campaign.completed':
      return text.wasCompleted;
    case 'campaign.paused':
      return text.wasPaused(pauseOf(text, event.data.reason));
    case 'campaign.updated':
      return statesOf(text)[event.data.status];
    default:
      return undefined;
  }
};

const statesOf = (text: Text): Readonly<Record<string, string>> => ({
  constructing: text.choosesRecipients,
  scheduled: text.wasScheduled,
  sending: text.sendsNow,
  failed: text.wasFailed,
  deleted: text.wasDeleted,
});
