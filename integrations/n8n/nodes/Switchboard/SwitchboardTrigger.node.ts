import {
  type IDataObject,
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeApiError,
  NodeConnectionTypes,
} from 'n8n-workflow';
import { isSigned } from './signature';
import { callSwitchboard } from './transport';

/** What n8n stores for the trigger of an active workflow. */
interface TriggerData extends IDataObject {
  endpointId?: number;
  secret?: string;
  /** Ids of the newest events, since each may come more than once. */
  receivedIds?: string[];
}

const eventNames = [
  'campaign.completed',
  'campaign.paused',
  'cart.abandoned',
  'contact.created',
  'contact.deleted',
  'contact.opted_out',
  'contact.updated',
  'lead.created',
  'lead.updated',
  'message.received',
  'message.status',
  'number.updated',
  'spend.alert',
  'spend.limit_reached',
  'order.created',
  'order.status_updated',
  'order.updated',
  'product.created',
  'product.deleted',
  'product.updated',
  'task.created',
  'task.updated',
  'template.status',
  'template.updated',
  'verification.failed',
  'verification.requested',
  'verification.successful',
];

/** Starts a workflow with each event of Switchboard. */
export class SwitchboardTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Switchboard Trigger',
    name: 'switchboardTrigger',
    icon: { light: 'file:../../icons/switchboard.svg', dark: 'file:../../icons/switchboard.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["events"].join(", ")}}',
    description: 'Starts the workflow when a message arrives, an order changes and so on',
    defaults: { name: 'Switchboard Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'switchboardApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        required: true,
        options: eventNames.map((name) => ({ name, value: name })),
        default: ['message.received'],
      },
    ],
  };

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const data = this.getWorkflowStaticData('node') as TriggerData;
        if (data.endpointId === undefined || data.secret === undefined) return false;
        const answer = await unlessGone(callSwitchboard(this, 'GET', `/api/v1/webhooks/${data.endpointId}`));
        if (!answer) return false;
        const { url, events, status } = (answer['data'] ?? {}) as { url?: string; events?: string[]; status?: string };
        const wanted = this.getNodeParameter('events', []) as string[];
        const isSame = url === this.getNodeWebhookUrl('default') && status === 'active' && sameNames(events ?? [], wanted);
        if (!isSame) await removeEndpoint(this);
        return isSame;
      },

      async create(this: IHookFunctions): Promise<boolean> {
        const body = { url: this.getNodeWebhookUrl('default') ?? '', events: this.getNodeParameter('events', []) as string[] };
        const answer = await callSwitchboard(this, 'POST', '/api/v1/webhooks', { body });
        const { id, secret } = (answer['data'] ?? {}) as { id?: number; secret?: string };
        if (id === undefined || secret === undefined) return false;
        Object.assign(this.getWorkflowStaticData('node'), { endpointId: id, secret });
        return true;
      },

      async delete(this: IHookFunctions): Promise<boolean> {
        await removeEndpoint(this);
        return true;
      },
    },
  };

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const data = this.getWorkflowStaticData('node') as TriggerData;
    // the bytes as they came: the signature is over them
    const { rawBody } = this.getRequestObject();
    const body = rawBody?.toString('utf8') ?? '';
    if (data.secret === undefined || !isSigned(data.secret, this.getHeaderData() as Record<string, string>, body, Date.now())) {
      this.getResponseObject().status(401).send('The signature is not valid.').end();
      return { noWebhookResponse: true };
    }
    const event = JSON.parse(body) as IDataObject;
    const id = String(event['id']);
    const received = data.receivedIds ?? [];
    // it was worked on before: the answer is 200, and no workflow starts
    if (received.includes(id)) return {};
    data.receivedIds = [...received.slice(-199), id];
    return { workflowData: [this.helpers.returnJsonArray(event)] };
  }
}

const sameNames = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((name) => others.includes(name));

/** The answer; undefined where the API has no such endpoint any more. */
const unlessGone = (call: Promise<IDataObject>): Promise<IDataObject | undefined> =>
  call.catch((error: unknown) => {
    if (error instanceof NodeApiError && error.httpCode === '404') return undefined;
    throw error;
  });

/** Deletes the endpoint at Switchboard; one that is gone is as good. */
async function removeEndpoint(context: IHookFunctions): Promise<void> {
  const data = context.getWorkflowStaticData('node') as TriggerData;
  if (data.endpointId === undefined) return;
  await unlessGone(callSwitchboard(context, 'DELETE', `/api/v1/webhooks/${data.endpointId}`));
  delete data.endpointId;
  delete data.secret;
}
