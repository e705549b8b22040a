import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
  NodeOperationError,
} from 'n8n-workflow';
import { properties } from './descriptions';
import { operationRequests } from './requests';
import { callSwitchboard, keyOfItem } from './transport';

/** Sends messages, and makes and changes contacts, conversations and leads. */
export class Switchboard implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Switchboard',
    name: 'switchboard',
    icon: { light: 'file:../../icons/switchboard.svg', dark: 'file:../../icons/switchboard.dark.svg' },
    group: ['output'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Send WhatsApp messages, and work with contacts, conversations and leads',
    defaults: { name: 'Switchboard' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'switchboardApi', required: true }],
    properties,
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const results: INodeExecutionData[] = [];
    for (const itemIndex of this.getInputData().keys()) {
      const result = resultOfItem(this, itemIndex);
      const json = this.continueOnFail() ? await result.catch(errorItem) : await result;
      results.push({ json, pairedItem: { item: itemIndex } });
    }
    return [results];
  }
}

const errorItem = (error: unknown): IDataObject => ({ error: error instanceof Error ? error.message : String(error) });

/** The record that the API answered with. */
async function resultOfItem(context: IExecuteFunctions, itemIndex: number): Promise<IDataObject> {
  const field = <T>(name: string, fallback?: T): T => context.getNodeParameter(name, itemIndex, fallback) as T;
  const name = `${field<string>('resource')}.${field<string>('operation')}`;
  const request = operationRequests[name];
  if (!request) throw new NodeOperationError(context.getNode(), `There is no operation ${name}.`, { itemIndex });
  const key = keyOfItem(context, itemIndex, JSON.stringify(request(field, '')));
  const { method, path, body } = request(field, key);
  const answer = await callSwitchboard(context, method, path, { body, ...(method === 'GET' ? {} : { idempotencyKey: key }) });
  return (answer['data'] as IDataObject | undefined) ?? answer;
}
