import { type JSX, useState } from 'react';
import type { CreateWebhookRequest, WebhookEndpoint } from '../../../client/client.ts';
import { ChecksField, problemOf, SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { developersText } from '../../text/developers.ts';
import { useText } from '../../text/text.ts';

type EventChoice = CreateWebhookRequest['events'][number];

const choices = [
  'message.received',
  'message.status',
  'campaign.completed',
  'campaign.paused',
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.opted_out',
  'lead.created',
  'lead.updated',
  'task.created',
  'task.updated',
  'number.updated',
  'template.status',
  'template.updated',
  'product.created',
  'product.updated',
  'product.deleted',
  'order.created',
  'order.updated',
  'order.status_updated',
  'cart.abandoned',
  'verification.requested',
  'verification.successful',
  'verification.failed',
  'verification.ceiling_reached',
] as const satisfies readonly EventChoice[];

/** An event that the API has and this list has not does not compile. */
type Missing = Exclude<EventChoice, (typeof choices)[number] | '*' | `${string}.*`>;
const all: readonly EventChoice[] = choices satisfies [Missing] extends [never] ? readonly EventChoice[] : never;

/** The single events of what an endpoint names: families are taken apart. */
const single = (events: readonly string[]): string[] =>
  all.filter((each) => events.some((event) => event === each || (event.endsWith('.*') && each.startsWith(event.slice(0, -1)))));

/** The URL and the events of an endpoint. */
export const EndpointForm = ({
  title,
  action,
  endpoint,
  write,
  onSubmit,
  onClose,
}: {
  title: string;
  action?: string;
  endpoint?: WebhookEndpoint;
  write: { isPending: boolean; error: unknown };
  onSubmit: (input: { url: string; events: EventChoice[] }) => void;
  onClose: () => void;
}): JSX.Element => {
  const text = useText(developersText);
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [isAll, setAll] = useState(endpoint?.events.includes('*') ?? true);
  const [events, setEvents] = useState(() => single(endpoint?.events ?? []));
  return (
    <FormDialog
      title={title}
      {...(action === undefined ? {} : { action })}
      write={write}
      fields={['url', 'events']}
      isDisabled={url.trim() === '' || (!isAll && events.length === 0)}
      onSubmit={() => onSubmit({ url: url.trim(), events: isAll ? ['*'] : all.filter((each) => events.includes(each)) })}
      onClose={onClose}
    >
      <TextField
        label={text.url}
        hint={text.urlHint}
        type="url"
        value={url}
        onText={setUrl}
        problem={problemOf(write.error, 'url')}
        placeholder="https://example.com/switchboard"
      />
      <SelectField
        label={text.eventsLabel}
        value={isAll ? 'all' : 'some'}
        onText={(value) => setAll(value === 'all')}
        choices={[
          ['all', text.eventsAll],
          ['some', text.eventsSome],
        ]}
        problem={problemOf(write.error, 'events')}
      />
      {!isAll && <ChecksField label={text.eventsSome} all={all} chosen={events} onChoose={setEvents} />}
    </FormDialog>
  );
};
