import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNumber } from '../../components/charts/frame.tsx';
import { problemOf, SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { productNow } from '../../components/time.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';

const hours = { hour: 1, day: 24, week: 168, month: 720 } as const;
type Since = keyof typeof hours | 'own';

/** Sends failed deliveries since a time again: of all endpoints, or of one. */
export const ReplayDialog = ({ webhookId, onClose }: { webhookId?: number; onClose: () => void }): JSX.Element => {
  const text = useText(developersText);
  const number = useNumber();
  const webhooks = useQuery(read('listWebhooks')).data?.data ?? [];
  const [webhook, setWebhook] = useState(webhookId === undefined ? '' : String(webhookId));
  const [since, setSince] = useState<Since>('day');
  const [own, setOwn] = useState('');
  const replay = useWrite(
    // page after page, each with a key of its own: a page that is sent twice is replayed once
    async (from: string, { idempotencyKey }) => {
      const sum = { resent: 0, skipped: 0 };
      for (let [cursor, page] = [undefined as string | undefined, 0]; ; page++) {
        const { data } = await api.replayDeliveries(
          {
            body: { since: from, ...(webhook === '' ? {} : { webhook_id: Number(webhook) }), ...(cursor === undefined ? {} : { cursor }) },
          },
          { idempotencyKey: `${idempotencyKey}-${page}` },
        );
        sum.resent += data.resent;
        sum.skipped += data.skipped;
        if (!data.has_more || data.next_cursor === null) return sum;
        cursor = data.next_cursor;
      }
    },
    ({ resent, skipped }) => {
      toast(
        <>
          {text.replayed(number(resent))} {skipped > 0 && text.replaySkipped(number(skipped))}
        </>,
      );
      void refresh('listAllDeliveries', 'listDeliveries', 'getWebhook', 'listWebhooks');
      onClose();
    },
  );
  const from = (): string =>
    // the log goes back 30 days; a minute less is surely in it
    new Date(
      since === 'own' ? own : Math.floor((productNow() - hours[since] * 3_600_000 + (since === 'month' ? 60_000 : 0)) / 1_000) * 1_000,
    ).toISOString();
  return (
    <FormDialog
      title={text.replayTitle}
      action={text.replay}
      write={replay}
      fields={['since', 'webhook_id']}
      isDisabled={since === 'own' && own === ''}
      onSubmit={() => replay.run(from())}
      onClose={onClose}
    >
      <p className="muted">{text.replayText}</p>
      <SelectField
        label={text.ofWebhook}
        value={webhook}
        onText={setWebhook}
        choices={[['', text.ofAllWebhooks], ...webhooks.map(({ id, url }) => [String(id), url] as const)]}
        problem={problemOf(replay.error, 'webhook_id')}
      />
      <SelectField
        label={text.since}
        value={since}
        onText={setSince}
        choices={[
          ['hour', text.sinceHour],
          ['day', text.sinceDay],
          ['week', text.sinceWeek],
          ['month', text.sinceMonth],
          ['own', text.sinceOwn],
        ]}
        problem={problemOf(replay.error, 'since')}
      />
      {since === 'own' && <TextField label={text.sinceOwn} type="datetime-local" value={own} onText={setOwn} />}
    </FormDialog>
  );
};
