import { freshKey } from './basic-checks.ts';
import type { Check, CheckRun } from './check.ts';
import { at, expectThat, NotChecked, shownAnswer } from './deployment.ts';
import { isSignedWith, type ReceivedWebhook, type WebhookReceiver } from './receiver.ts';

/** An endpoint at the receiver for as long as `use` takes. */
async function withEndpoint(
  { deployment, receiver }: CheckRun,
  use: (endpoint: { id: number; secret: string; receiver: WebhookReceiver }) => Promise<void>,
): Promise<void> {
  if (!receiver) throw new NotChecked('the deployment cannot reach this computer: add --receiver URL, an address that leads here');
  const body = { url: receiver.url, events: ['contact.created', 'contact.deleted'] };
  const made = await deployment.call({ method: 'POST', path: '/api/v1/webhooks', body });
  if (made.status === 403) throw new NotChecked('the token does not have the scope webhooks:manage, or its user is no admin');
  if (made.status === 409 || made.status === 422)
    throw new NotChecked(`the deployment takes no endpoint at ${receiver.url}: ${shownAnswer(made)}`);
  const [id, secret] = [at(made.body, 'data', 'id'), at(made.body, 'data', 'secret')];
  expectThat(made.status < 300 && typeof id === 'number', 'an endpoint is made', shownAnswer(made));
  try {
    expectThat(typeof secret === 'string' && secret.startsWith('whsec_'), 'its secret begins with whsec_', 'another form');
    await use({ id, secret, receiver });
  } finally {
    await deployment.call({ method: 'DELETE', path: `/api/v1/webhooks/${id}` });
  }
}

const isEventOf =
  (name: string, contactId: number) =>
  ({ body }: ReceivedWebhook): boolean => {
    const event = parsedEvent(body);
    return at(event, 'event') === name && at(event, 'data', 'contact_id') === contactId;
  };

function parsedEvent(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}

/** Makes a test contact; its id. */
async function newContact(run: CheckRun): Promise<number> {
  const body = await run.contacts.unusedBody();
  const answer = await run.deployment.call({ method: 'POST', path: '/api/v1/contacts', body, headers: { 'idempotency-key': freshKey() } });
  return run.contacts.made(answer);
}

export const webhookChecks: readonly Check[] = [
  {
    id: 'webhook-signed',
    group: 'webhooks',
    title: 'a webhook is signed with the secret of its endpoint, and is of now',
    run: (run) =>
      withEndpoint(run, async ({ secret, receiver }) => {
        const contactId = await newContact(run);
        const webhook = await receiver.waitFor(isEventOf('contact.created', contactId), run.timeoutMs);
        expectThat(webhook !== undefined, `contact.created arrives within ${run.timeoutMs / 1_000} s`);
        expectThat(
          isSignedWith(secret, webhook),
          'webhook-signature is the HMAC-SHA256 of id, timestamp and body',
          webhook.headers['webhook-signature'],
        );
        const sentAt = Number(webhook.headers['webhook-timestamp']) * 1_000;
        expectThat(Math.abs(webhook.receivedAt - sentAt) < 300_000, 'webhook-timestamp is less than five minutes off', String(sentAt));
        const event = parsedEvent(webhook.body);
        expectThat(at(event, 'id') === webhook.headers['webhook-id'], 'the id of the body is that of the header webhook-id', webhook.body);
        expectThat(typeof at(event, 'timestamp') === 'string', 'the body has a timestamp', webhook.body);
      }),
  },
  {
    id: 'webhook-repeated',
    group: 'webhooks',
    title: 'a webhook that was answered 500 comes again with the same id and body',
    run: (run) =>
      withEndpoint(run, async ({ receiver, secret }) => {
        receiver.refuseFirst(({ body }) => at(parsedEvent(body), 'event') === 'contact.created');
        const contactId = await newContact(run);
        const isOurs = isEventOf('contact.created', contactId);
        const first = await receiver.waitFor(isOurs, run.timeoutMs);
        expectThat(first !== undefined, `contact.created arrives within ${run.timeoutMs / 1_000} s`);
        const second = await receiver.waitFor((webhook) => webhook !== first && isOurs(webhook), 20_000);
        expectThat(second !== undefined, 'it comes again within 20 s after 500');
        const ids = [first, second].map(({ headers }) => headers['webhook-id']);
        expectThat(ids[0] === ids[1], 'the id is the same', ids);
        expectThat(second.body === first.body && isSignedWith(secret, second), 'the body is the same, and signed', second.body);
      }),
  },
];
