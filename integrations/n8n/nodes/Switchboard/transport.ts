import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, IHookFunctions, IHttpRequestMethods, JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';

/** Calls the API with the node's credentials; the body of the answer. A refusal shows the API's message and remedy. */
export async function callSwitchboard(
  context: IExecuteFunctions | IHookFunctions,
  method: IHttpRequestMethods,
  path: string,
  { body, idempotencyKey }: { body?: IDataObject | undefined; idempotencyKey?: string } = {},
): Promise<IDataObject> {
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('switchboardApi');
  try {
    const answer: unknown = await context.helpers.httpRequestWithAuthentication.call(context, 'switchboardApi', {
      method,
      url: `${baseUrl.replace(/\/+$/, '')}${path}`,
      json: true,
      ...(body === undefined ? {} : { body }),
      ...(idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': idempotencyKey } }),
    });
    return (answer ?? {}) as IDataObject;
  } catch (error) {
    // n8n's own helper may have made one already, which the constructor hands back as it is
    throw withWordsOf(error, new NodeApiError(context.getNode(), error as JsonObject));
  }
}

/** In the API's own words, where the error has its answer. */
function withWordsOf(error: unknown, shown: NodeApiError): NodeApiError {
  const data = fieldOf(fieldOf(error, 'response'), 'data') ?? fieldOf(fieldOf(error, 'context'), 'data');
  const [message, remedy, errors] = ['message', 'remedy', 'errors'].map((name) => fieldOf(data, name));
  if (typeof message !== 'string') return shown;
  const reasons = errors === undefined ? '' : `${JSON.stringify(errors)} `;
  shown.message = message;
  shown.description = `${reasons}${typeof remedy === 'string' ? remedy : ''}`;
  return shown;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/**
 * A key for the write of one item in one run of a node. n8n runs a node again within the same execution when it is set to retry: the key is
 * the same then, and the write happens once. `content` is part of it, since an agent may use the node several times in one run.
 */
export function keyOfItem(context: IExecuteFunctions, itemIndex: number, content: string): string {
  const run = String(context.evaluateExpression('{{ $runIndex }}', itemIndex));
  const parts = [context.getWorkflow().id, context.getExecutionId(), context.getNode().id, run, String(itemIndex), content];
  const hex = createHash('sha256').update(parts.join('\n')).digest('hex');
  // in the form of a UUID, which a lead's creation_key has
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
