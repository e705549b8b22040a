import { type IDataObject, type IHttpRequestMethods, UserError } from 'n8n-workflow';

/** What an operation of the node calls: pure, so that each can be read at once. */
export interface OperationRequest {
  method: IHttpRequestMethods;
  path: string;
  body?: IDataObject;
}

/** The value of one of the node's fields for the item at hand. */
export type FieldReader = <T>(name: string, fallback?: T) => T;

/** `message.sendText` and so on. `key` is the item's own, which a lead has as its creation_key. */
export const operationRequests: Readonly<Record<string, (field: FieldReader, key: string) => OperationRequest>> = {
  'message.sendText': (field) => ({
    method: 'POST',
    path: '/api/v1/messages/text',
    body: { phone: field<string>('phone'), message: field<string>('text'), ...filledFields(field<IDataObject>('sendOptions', {})) },
  }),
  'message.sendTemplate': (field) => {
    const values = field<string[]>('bodyParameters', []);
    const parameters = values.map((text) => ({ type: 'text', text: String(text) }));
    return {
      method: 'POST',
      path: '/api/v1/messages/template',
      body: {
        phone: field<string>('phone'),
        template_name: field<string>('templateName'),
        template_language: field<string>('templateLanguage'),
        ...(parameters.length === 0 ? {} : { components: [{ type: 'body', parameters }] }),
        // a template needs no window
        ...filledFields({ ...field<IDataObject>('sendOptions', {}), window_policy: '' }),
      },
    };
  },
  'contact.upsert': (field) => ({
    method: 'POST',
    path: '/api/v1/contacts',
    body: { phone: field<string>('phone'), ...filledFields(field<IDataObject>('contactFields', {})), ...groupsOf(field, 'groups') },
  }),
  'contact.get': (field) => ({ method: 'GET', path: `/api/v1/contacts/${idIn(field, 'contactId')}` }),
  'contact.update': (field) => ({
    method: 'PATCH',
    path: `/api/v1/contacts/${idIn(field, 'contactId')}`,
    body: { ...filledFields(field<IDataObject>('contactFields', {})), ...groupsOf(field, 'add_groups') },
  }),
  'conversation.assign': (field) => ({
    method: 'PUT',
    path: `/api/v1/conversations/${idIn(field, 'conversationId')}`,
    body: { assigned_to: Number(field('userId')) },
  }),
  'conversation.close': (field) => ({
    method: 'PUT',
    path: `/api/v1/conversations/${idIn(field, 'conversationId')}`,
    body: { status: 'closed' },
  }),
  'lead.create': (field, key) => ({
    method: 'POST',
    path: '/api/v1/crm/leads',
    body: {
      contact_id: Number(field('contactId')),
      pipeline_id: Number(field('pipelineId')),
      title: field<string>('title'),
      creation_key: key,
      ...filledFields(field<IDataObject>('leadFields', {})),
    },
  }),
};

/** An id in a path is digits alone: an expression that yields something else must not lead to another path. */
function idIn(field: FieldReader, name: string): string {
  const id = String(field(name));
  if (!/^[1-9]\d*$/.test(id)) throw new UserError(`${name} is no ID: ${id}`);
  return id;
}

const groupsOf = (field: FieldReader, name: string): IDataObject => {
  const groups = field<string>('addGroups', '').split(',');
  const named = groups.map((each) => each.trim()).filter((each) => each !== '');
  return named.length === 0 ? {} : { [name]: named };
};

const filledFields = (fields: IDataObject): IDataObject => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
