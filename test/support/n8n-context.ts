import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** As much of n8n as its nodes call, for one node with these parameters: what n8n itself gives them while a workflow runs. */
export interface N8nContext extends Record<string, unknown> {
  /** What n8n stores for the node of an active workflow. */
  staticData: Record<string, unknown>;
}

export interface N8nContextOptions {
  baseUrl: string;
  token: string;
  parameters: Readonly<Record<string, unknown>>;
  items?: readonly Readonly<Record<string, unknown>>[];
  staticData?: Record<string, unknown>;
  webhookUrl?: string;
  executionId?: string;
}

interface N8nRequest {
  method: string;
  url: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export const n8nContext = ({ baseUrl, token, parameters, items = [{}], executionId = '1', ...given }: N8nContextOptions): N8nContext => {
  const staticData = given.staticData ?? {};
  const httpRequestWithAuthentication = async (_name: string, { method, url, body, headers }: N8nRequest): Promise<unknown> => {
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const data: unknown = text === '' ? undefined : JSON.parse(text);
    // as axios refuses, which n8n calls with
    if (!answer.ok)
      throw Object.assign(new Error(`Request failed with status code ${answer.status}`), { response: { status: answer.status, data } });
    return data;
  };
  return {
    staticData,
    getInputData: () => items.map((json) => ({ json })),
    getNodeParameter: (name: string, second: unknown, third?: unknown) => parameters[name] ?? (typeof second === 'number' ? third : second),
    getCredentials: () => Promise.resolve({ baseUrl, token }),
    getNode: () => ({ id: 'node-1', name: 'Switchboard', type: 'switchboard', typeVersion: 1, position: [0, 0], parameters: {} }),
    getWorkflow: () => ({ id: 'workflow-1', name: 'Reply', active: true }),
    getExecutionId: () => executionId,
    evaluateExpression: () => 0,
    continueOnFail: () => parameters['continueOnFail'] === true,
    getWorkflowStaticData: () => staticData,
    getNodeWebhookUrl: () => given.webhookUrl,
    helpers: { httpRequestWithAuthentication, returnJsonArray: (json: unknown) => [{ json }] },
  };
};

/** A webhook as n8n hands it to a trigger, with what the trigger answers. */
export interface N8nWebhook {
  headers: Record<string, string | string[] | undefined>;
  rawBody: Buffer;
}

/** The context of a trigger's `webhook` for one call, and the status that it answered. */
export const n8nWebhookContext = (context: N8nContext, { headers, rawBody }: N8nWebhook): { context: N8nContext; status: () => number } => {
  let status = 200;
  const response = {
    status: (code: number) => {
      status = code;
      return response;
    },
    send: () => response,
    end: () => response,
  };
  return {
    context: { ...context, getRequestObject: () => ({ rawBody }), getHeaderData: () => headers, getResponseObject: () => response },
    status: () => status,
  };
};

/** A server that stores the webhooks that arrive at it and answers 200. */
export async function startWebhookStore(): Promise<{ url: string; webhooks: N8nWebhook[] } & AsyncDisposable> {
  const webhooks: N8nWebhook[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      webhooks.push({ headers: request.headers, rawBody: Buffer.concat(chunks) });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook/reply`,
    webhooks,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
