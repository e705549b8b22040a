import { type JSX, useState } from 'react';
import type { WebhookEndpoint } from '../../../client/client.ts';
import { ChecksField, SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';
import { type EventChoice, webhookEvents } from './webhook-events.ts';

/** The single events of what an endpoint names: families are taken apart. */
const single = (events: readonly string[]): string[] =>
  webhookEvents.filter((each) => events.some((event) => event === each || (event.endsWith('.*') && each.startsWith(event.slice(0, -1)))));

/** The URL and the events of an endpoint: of a new one, or of one that is there. */
export const EndpointForm = <R,>({
  title,
  action,
  endpoint,
  send,
  onDone,
  onClose,
}: {
  title: string;
  action?: string;
  endpoint?: WebhookEndpoint;
  send: (input: { url: string; events: EventChoice[] }, call: { idempotencyKey: string }) => Promise<R>;
  onDone: (answer: R) => void;
  onClose: () => void;
}): JSX.Element => {
  const text = useText(developersText);
  const [isAll, setAll] = useState(endpoint?.events.includes('*') ?? true);
  const { values, field, set, problem, submitting } = useForm(
    { url: endpoint?.url ?? '', events: single(endpoint?.events ?? []) },
    ({ url, events }, call) =>
      send({ url: url.trim(), events: isAll ? ['*'] : webhookEvents.filter((each) => events.includes(each)) }, call),
    onDone,
  );
  return (
    <FormDialog
      {...submitting}
      title={title}
      action={action}
      isDisabled={values.url.trim() === '' || (!isAll && values.events.length === 0)}
      onClose={onClose}
    >
      <TextField label={text.url} hint={text.urlHint} type="url" placeholder="https://example.com/switchboard" {...field('url')} />
      <SelectField
        label={text.eventsLabel}
        value={isAll ? 'all' : 'some'}
        onText={(value) => setAll(value === 'all')}
        choices={[
          ['all', text.eventsAll],
          ['some', text.eventsSome],
        ]}
        problem={problem('events')}
      />
      {!isAll && <ChecksField label={text.eventsSome} all={webhookEvents} chosen={values.events} onChoose={set('events')} />}
    </FormDialog>
  );
};
