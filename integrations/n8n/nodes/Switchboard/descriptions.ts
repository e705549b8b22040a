import type { INodeProperties } from 'n8n-workflow';

/** The fields of the node, by resource and operation. */

type Shown = Readonly<Record<string, string[]>>;

const forOperation = (resource: string, operations: string[]): { show: Shown } => ({
  show: { resource: [resource], operation: operations },
});

const operationsOf = (
  resource: string,
  first: string,
  options: readonly { name: string; value: string; action: string; description: string }[],
): INodeProperties => ({
  displayName: 'Operation',
  name: 'operation',
  type: 'options',
  noDataExpression: true,
  displayOptions: { show: { resource: [resource] } },
  options: [...options],
  default: first,
});

const resources: INodeProperties = {
  displayName: 'Resource',
  name: 'resource',
  type: 'options',
  noDataExpression: true,
  options: [
    { name: 'Contact', value: 'contact' },
    { name: 'Conversation', value: 'conversation' },
    { name: 'Lead', value: 'lead' },
    { name: 'Message', value: 'message' },
  ],
  default: 'message',
};

const operations: INodeProperties[] = [
  operationsOf('message', 'sendText', [
    {
      name: 'Send Template',
      value: 'sendTemplate',
      action: 'Send a template',
      description: 'Send an approved template, also to a phone that has not written',
    },
    {
      name: 'Send Text',
      value: 'sendText',
      action: 'Send a text',
      description: 'Send free text to a contact that wrote in the last 24 hours',
    },
  ]),
  operationsOf('contact', 'upsert', [
    {
      name: 'Create or Update',
      value: 'upsert',
      action: 'Create or update a contact',
      description: 'Create a new record, or update the current one if it already exists (upsert)',
    },
    { name: 'Get', value: 'get', action: 'Get a contact', description: 'Get a contact by its ID' },
    { name: 'Update', value: 'update', action: 'Update a contact', description: 'Change some fields of a contact' },
  ]),
  operationsOf('conversation', 'assign', [
    { name: 'Assign', value: 'assign', action: 'Assign a conversation', description: 'Assign a conversation to a user' },
    { name: 'Close', value: 'close', action: 'Close a conversation', description: 'Close a conversation; a new message opens it again' },
  ]),
  operationsOf('lead', 'create', [
    { name: 'Create', value: 'create', action: 'Create a lead', description: 'Create a lead for a contact' },
  ]),
];

const messageFields: INodeProperties[] = [
  {
    displayName: 'Phone',
    name: 'phone',
    type: 'string',
    required: true,
    default: '',
    placeholder: '+4915123456789',
    description: 'The phone with its country code',
    displayOptions: { show: { resource: ['message', 'contact'], operation: ['sendText', 'sendTemplate', 'upsert'] } },
  },
  {
    displayName: 'Text',
    name: 'text',
    type: 'string',
    typeOptions: { rows: 3 },
    required: true,
    default: '',
    displayOptions: forOperation('message', ['sendText']),
  },
  {
    displayName: 'Template Name',
    name: 'templateName',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'order_update',
    displayOptions: forOperation('message', ['sendTemplate']),
  },
  {
    displayName: 'Language',
    name: 'templateLanguage',
    type: 'string',
    required: true,
    default: 'en',
    displayOptions: forOperation('message', ['sendTemplate']),
  },
  {
    displayName: 'Body Parameters',
    name: 'bodyParameters',
    type: 'string',
    typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Parameter' },
    default: [],
    description: 'The values of {{1}}, {{2}} and so on in the body of the template',
    displayOptions: forOperation('message', ['sendTemplate']),
  },
  {
    displayName: 'Options',
    name: 'sendOptions',
    type: 'collection',
    placeholder: 'Add option',
    default: {},
    displayOptions: forOperation('message', ['sendText', 'sendTemplate']),
    options: [
      {
        displayName: 'Scheduled At',
        name: 'scheduled_at',
        type: 'dateTime',
        default: '',
        description: "Send later. A time with an offset is that instant; without one it is of the company's time zone.",
      },
      {
        displayName: 'Window Policy',
        name: 'window_policy',
        type: 'options',
        options: [
          { name: 'Refuse Outside the Window', value: 'enforce' },
          { name: 'Send All the Same', value: 'provider' },
        ],
        default: 'enforce',
        description: 'What becomes of free text to a contact that has not written in the last 24 hours',
      },
    ],
  },
];

const contactFields: INodeProperties[] = [
  {
    displayName: 'Contact ID',
    name: 'contactId',
    type: 'number',
    required: true,
    default: 0,
    displayOptions: { show: { resource: ['contact', 'lead'], operation: ['get', 'update', 'create'] } },
  },
  {
    displayName: 'Fields',
    name: 'contactFields',
    type: 'collection',
    placeholder: 'Add field',
    default: {},
    displayOptions: forOperation('contact', ['upsert', 'update']),
    options: [
      { displayName: 'City', name: 'city', type: 'string', default: '' },
      { displayName: 'Email', name: 'email', type: 'string', placeholder: 'name@email.com', default: '' },
      { displayName: 'Name', name: 'name', type: 'string', default: '' },
      {
        displayName: 'Subscribed',
        name: 'subscribed',
        type: 'boolean',
        default: false,
        description: 'Whether the contact agreed to marketing messages',
      },
    ],
  },
  {
    displayName: 'Add to Groups',
    name: 'addGroups',
    type: 'string',
    default: '',
    description: 'Names separated by commas; groups that do not exist are created',
    displayOptions: forOperation('contact', ['upsert', 'update']),
  },
];

const conversationFields: INodeProperties[] = [
  {
    displayName: 'Conversation ID',
    name: 'conversationId',
    type: 'number',
    required: true,
    default: 0,
    displayOptions: forOperation('conversation', ['assign', 'close']),
  },
  {
    displayName: 'User ID',
    name: 'userId',
    type: 'number',
    required: true,
    default: 0,
    displayOptions: forOperation('conversation', ['assign']),
  },
];

const leadFields: INodeProperties[] = [
  {
    displayName: 'Pipeline ID',
    name: 'pipelineId',
    type: 'number',
    required: true,
    default: 1,
    displayOptions: forOperation('lead', ['create']),
  },
  {
    displayName: 'Title',
    name: 'title',
    type: 'string',
    required: true,
    default: '',
    displayOptions: forOperation('lead', ['create']),
  },
  {
    displayName: 'Fields',
    name: 'leadFields',
    type: 'collection',
    placeholder: 'Add field',
    default: {},
    displayOptions: forOperation('lead', ['create']),
    options: [
      { displayName: 'Currency', name: 'currency', type: 'string', default: 'EUR' },
      { displayName: 'Value', name: 'value', type: 'number', default: 0 },
    ],
  },
];

export const properties: INodeProperties[] = [
  resources,
  ...operations,
  ...messageFields,
  ...contactFields,
  ...conversationFields,
  ...leadFields,
];
