import { switchboard } from '../../../client/client.ts';
import { fetchHere } from '../../data/client.ts';
import { download } from '../../data/download.ts';

/** Saves the recipients with their results as one file: a thousand lines a call, whose end names the next ones. */
export const saveRecipients = async (id: number, status: Status | undefined): Promise<void> => {
  let link: string | null = null;
  const api = switchboard({
    baseUrl: location.origin,
    session: true,
    fetch: async (url, init) => {
      const answer = await fetchHere(url, init);
      link = answer.headers.get('link');
      return answer;
    },
  });
  const parts: string[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const query = { ...(status === undefined ? {} : { status }), ...(cursor === undefined ? {} : { cursor }) };
    parts.push(await api.exportCampaignMessages({ params: { id }, query }));
    cursor = cursorIn(link);
  }
  download(`campaign-${id}.csv`, parts.join(''));
};

export type Status = 'scheduled' | 'processing' | 'sent' | 'delivered' | 'read' | 'failed' | 'skipped';

/** Where the next lines begin, by the header of an answer. */
const cursorIn = (link: string | null): string | undefined => {
  const address = /<([^>]+)>; rel="next"/.exec(link ?? '')?.[1];
  return address === undefined ? undefined : (new URL(address, location.origin).searchParams.get('cursor') ?? undefined);
};
