import type { JSX } from 'react';
import type { WebhookEndpoint } from '../../../client/client.ts';
import { Badge } from '../../components/basics.tsx';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';

/** Whether an endpoint takes what is sent, in words. */
export const useHealth = (): ((endpoint: WebhookEndpoint) => { words: string; look: 'good' | 'warn' | 'bad' | '' }) => {
  const text = useText(developersText);
  return ({ status, disabled_reason, failing_since, last_success_at }) => {
    if (status === 'disabled')
      return disabled_reason === 'by_user'
        ? { words: text.disabledByUser, look: '' }
        : { words: disabled_reason === 'gone' ? text.disabledGone : text.disabledFailing, look: 'bad' };
    if (failing_since !== null) return { words: text.failing, look: 'bad' };
    return last_success_at === null ? { words: text.quiet, look: '' } : { words: text.healthy, look: 'good' };
  };
};

export const Health = ({ endpoint }: { endpoint: WebhookEndpoint }): JSX.Element => {
  const { words, look } = useHealth()(endpoint);
  return <Badge look={look}>{words}</Badge>;
};
