import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useNumber } from '../../components/charts/frame.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { toast } from '../../components/toasts.tsx';
import { api, type Input } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { type Since, timeSince } from './since.ts';

/** Sends failed deliveries since a time again: of all endpoints, or of one. */
export const ReplayDialog = ({ webhookId, onClose }: { webhookId?: number; onClose: () => void }): JSX.Element => {
  const text = useText(developersText);
  const number = useNumber();
  const webhooks = useQuery(read('listWebhooks')).data?.data ?? [];
  const { values, field, submitting } = useForm(
    { webhook_id: webhookId === undefined ? '' : String(webhookId), since: 'day' as Since | 'own', own: '' },
    ({ webhook_id, since, own }, call) =>
      replayAll({ since: timeOf(since, own), ...(webhook_id === '' ? {} : { webhook_id: Number(webhook_id) }) }, call),
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
  const isOwn = values.since === 'own';
  return (
    <FormDialog {...submitting} title={text.replayTitle} action={text.replay} isDisabled={isOwn && values.own === ''} onClose={onClose}>
      <p className="muted">{text.replayText}</p>
      <SelectField
        label={text.ofWebhook}
        choices={[['', text.ofAllWebhooks], ...webhooks.map(({ id, url }) => [String(id), url] as const)]}
        {...field('webhook_id')}
      />
      <SelectField
        label={text.since}
        choices={[
          ['hour', text.sinceHour],
          ['day', text.sinceDay],
          ['week', text.sinceWeek],
          ['month', text.sinceMonth],
          ['own', text.sinceOwn],
        ]}
        {...field('since')}
      />
      {isOwn && <TextField label={text.sinceOwn} type="datetime-local" {...field('own')} />}
    </FormDialog>
  );
};

const timeOf = (since: Since | 'own', own: string): string => (since === 'own' ? new Date(own).toISOString() : timeSince(since));

/** Page after page, each with a key of its own: a page that is sent twice is replayed once. */
const replayAll = async (
  body: Omit<Input<'replayDeliveries'>['body'], 'cursor'>,
  { idempotencyKey }: { idempotencyKey: string },
): Promise<{ resent: number; skipped: number }> => {
  const sum = { resent: 0, skipped: 0 };
  for (let [cursor, page] = [undefined as string | undefined, 0]; ; page++) {
    const { data } = await api.replayDeliveries(
      { body: { ...body, ...(cursor === undefined ? {} : { cursor }) } },
      { idempotencyKey: `${idempotencyKey}-${page}` },
    );
    sum.resent += data.resent;
    sum.skipped += data.skipped;
    if (!data.has_more || data.next_cursor === null) return sum;
    cursor = data.next_cursor;
  }
};
