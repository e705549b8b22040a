/**
 * The calls of an integrator's first day, once for every generator of clients: what is in TypeScript here is compiled with the types that the
 * generator made, in the style of its calls.
 */
export interface GeneratorCall {
  /** The name that later calls know its answer by. */
  as: string;
  operation: string;
  /** In TypeScript: the body, the id in the path, the query. */
  body?: string;
  id?: string;
  query?: string;
  idempotencyKey?: string;
  /** Of the user unless given. */
  credential?: 'token' | 'erp' | 'verification';
  /** What holds of the answer, or of the error where the call is refused. */
  shows: string;
  isRefused?: true;
  /** A statement after it. */
  afterwards?: string;
  /** With a file in the form itself: for the generators that offer both kinds of body. */
  isForm?: true;
}

export const generatorCalls: readonly GeneratorCall[] = [
  {
    as: 'field',
    operation: 'createField',
    body: '{ key: `born_${given.run}`, name: `Born ${given.run}`, type: "date" }',
    shows: 'field.data.key.startsWith("born_")',
  },
  {
    as: 'group',
    operation: 'createGroup',
    body: '{ name: `Generated ${given.run}` }',
    shows: 'group.data.id > 0',
  },
  {
    as: 'contact',
    operation: 'createContact',
    body: '{ phone, name: "Ada Lovelace", groups: [group.data.id], fields: { [field.data.key]: "1990-12-10" } }',
    shows: 'contact.data.groups.some(({ id }) => id === group.data.id) && contact.data.name === "Ada Lovelace"',
  },
  {
    as: 'buttons',
    operation: 'sendText',
    body: '{ phone, message: "Shall we come on Tuesday?", buttons: [{ id: "yes", title: "Yes" }, { id: "no", title: "No" }] }',
    shows: 'Number.isSafeInteger(buttons.data.message_id) && buttons.data.message_id > 2 ** 32',
  },
  {
    as: 'template',
    operation: 'sendTemplate',
    body: `{ phone, template_name: "order_update", template_language: "en",
      components: [{ type: "body", parameters: [{ type: "text", text: "Ada" }, { type: "text", text: "A-1042" }] }] }`,
    shows: 'template.data.contact_id === contact.data.id && template.data.window !== null',
  },
  {
    as: 'list',
    operation: 'sendList',
    body: `{ phone, message: "When shall we come?",
      action: { button: "Choose", sections: [{ title: "Tuesday", rows: [{ id: "t9", title: "9:00" }] }] } }`,
    shows: 'list.data.message_id > 0',
  },
  {
    as: 'upload',
    operation: 'createUpload',
    body: '{ filename: "offer.pdf", content_type: "application/pdf", size: given.pdf.size }',
    shows: 'upload.data.media_id.length > 10',
    afterwards: 'await given.put(upload.data.upload_url, upload.data.headers, given.pdf);',
  },
  {
    as: 'file',
    operation: 'sendText',
    body: '{ phone, message: "Our offer", media_id: upload.data.media_id }',
    shows: 'file.data.conversation_id === buttons.data.conversation_id',
  },
  {
    as: 'form',
    operation: 'sendText',
    body: '{ phone, message: "A picture", image: given.picture }',
    shows: 'form.data.message_id > 0',
    isForm: true,
  },
  {
    as: 'templates',
    operation: 'listTemplates',
    shows: 'templates.data.some(({ name, language }) => name === "order_update" && language === "en")',
    afterwards: 'const template_id = templates.data.find(({ name }) => name === "order_update")?.id ?? 0;',
  },
  {
    as: 'campaign',
    operation: 'createCampaign',
    body: '{ name: "Orders", template_id, group_id: group.data.id, paramvalues: { "1": "Ada", "2": "A-1" } }',
    idempotencyKey: '`campaign-${given.run}`',
    shows: 'campaign.data.group_id === group.data.id',
  },
  {
    as: 'again',
    operation: 'createCampaign',
    body: '{ name: "Orders", template_id, group_id: group.data.id, paramvalues: { "1": "Ada", "2": "A-1" } }',
    idempotencyKey: '`campaign-${given.run}`',
    shows: 'again.data.id === campaign.data.id',
  },
  {
    as: 'imported',
    operation: 'createImport',
    body: '{ filename: "contacts.csv", size: given.csv.size }',
    shows: 'imported.data.status === "awaiting_upload"',
    afterwards: 'if (imported.data.upload) await given.put(imported.data.upload.url, imported.data.upload.headers, given.csv);',
  },
  { as: 'started', operation: 'startImport', id: 'imported.data.id', shows: 'started.data.status === "queued"' },
  { as: 'page', operation: 'listConversations', query: '{ limit: 1 }', shows: 'page.data.length === 1 && page.meta.next_cursor !== null' },
  {
    as: 'nextPage',
    operation: 'listConversations',
    query: '{ limit: 1, cursor: page.meta.next_cursor ?? "" }',
    shows: 'nextPage.data.every(({ id }) => id !== page.data[0]?.id)',
  },
  {
    as: 'pipeline',
    operation: 'createPipeline',
    body: '{ name: `Roofs ${given.run}`, template: "sales" }',
    shows: 'pipeline.data.stages.some(({ is_default }) => is_default)',
  },
  {
    as: 'lead',
    operation: 'createLead',
    body: `{ contact_id: contact.data.id, pipeline_id: pipeline.data.id, title: "A new roof", value: 12500, currency: "EUR",
      creation_key: crypto.randomUUID() }`,
    shows: 'lead.data.version === 1 && lead.data.contact?.id === contact.data.id',
  },
  {
    as: 'task',
    operation: 'createTask',
    id: 'lead.data.id',
    body: '{ title: "Call back", due_at: "2037-02-01T09:00:00+01:00" }',
    shows: 'task.data.lead?.id === lead.data.id && !task.data.is_overdue',
  },
  {
    as: 'note',
    operation: 'createNote',
    id: 'lead.data.id',
    body: '{ body: "Asks for an offer." }',
    shows: 'note.data.lead_id === lead.data.id',
  },
  {
    as: 'product',
    operation: 'createProduct',
    body: '{ name: "Teapot", price: "34.00", currency: "EUR", stock_quantity: 12 }',
    shows: 'product.data.price === "34.00" && product.data.stock_quantity === 12',
  },
  { as: 'orders', operation: 'listOrders', query: '{ limit: 5 }', shows: 'Array.isArray(orders.data)' },
  {
    as: 'erp',
    operation: 'syncErp',
    body: '{ products: [{ external_id: `CAN-${given.run}`, name: "Watering can", price: "19.90", currency: "EUR", stock_quantity: 3 }] }',
    credential: 'erp',
    shows: 'erp.data.created === 1 && erp.data.errors.length === 0',
  },
  {
    as: 'requested',
    operation: 'requestVerification',
    body: '{ identifier: given.otherPhone, purpose: "login" }',
    credential: 'verification',
    // not by `cached`: orval 7 writes a constant of a truth value as any truth value
    shows: '"otp_rules" in requested && requested.status === "pending"',
    afterwards: 'const code = await given.codeThatCame();',
  },
  {
    as: 'verified',
    operation: 'verifyCode',
    body: '{ request_id: requested.request_id, code }',
    credential: 'verification',
    shows: '"identifier" in verified && verified.identifier === given.otherPhone',
  },
  {
    as: 'endpoint',
    operation: 'createWebhook',
    body: '{ url: given.receiver, events: ["contact.opted_out"] }',
    shows: 'endpoint.data.secret.startsWith("whsec_") && endpoint.data.status === "active"',
  },
  {
    as: 'closed',
    operation: 'updateConversation',
    id: 'contact.data.id',
    body: '{ status: "closed" }',
    shows: 'closed.data.status === "closed"',
    // what happened is in the log a moment later
    afterwards: 'await given.idle();',
  },
  {
    as: 'events',
    operation: 'listEvents',
    query: '{ types: "conversation.updated", limit: 100 }',
    // narrows the data by the type
    shows: 'events.data.some((each) => each.type === "conversation.updated" && each.data.conversation_id > 0)',
  },
  { as: 'audit', operation: 'listAuditEntries', query: '{ limit: 5 }', shows: 'audit.data.some(({ by }) => by.via === "api")' },
  {
    as: 'problem',
    operation: 'createContact',
    body: '{ phone: "0151 23456789" }',
    shows:
      'problem.code === "validation_failed" && problem.errors?.["phone"] !== undefined && problem.doc_url?.includes("validation_failed")',
    isRefused: true,
  },
];

/** What the walk is given: it is made into a bundle, and called by the test. */
export interface WalkGiven {
  baseUrl: string;
  token: string;
  erpToken: string;
  publicKey: string;
  /** Of this run: in names that must be new. */
  run: string;
  phone: string;
  otherPhone: string;
  receiver: string;
  pdf: Blob;
  csv: Blob;
  picture: File;
  put: (url: string, headers: Readonly<Record<string, string | undefined>>, file: Blob) => Promise<void>;
  /** Until nothing is under way any more. */
  idle: () => Promise<void>;
  codeThatCame: () => Promise<string>;
}

const givenType = `interface Given {
  baseUrl: string; token: string; erpToken: string; publicKey: string; run: string; phone: string; otherPhone: string; receiver: string;
  pdf: Blob; csv: Blob; picture: File;
  put: (url: string, headers: Readonly<Record<string, string | undefined>>, file: Blob) => Promise<void>;
  idle: () => Promise<void>; codeThatCame: () => Promise<string>;
}
`;

/** How a generator's calls are written. */
export interface CallStyle {
  imports: string;
  /** What each of the walk's credentials is called with, and helpers. */
  prelude: string;
  /** The expression of a call, which is awaited. */
  call: (call: GeneratorCall & { credential: 'token' | 'erp' | 'verification' }) => string;
  /** Whether a form with a file is offered beside JSON. */
  hasForms?: true;
}

/** The walk in the style of a generator: a module that exports `walk`, which gives the names of what it called. */
export function walkIn(style: CallStyle): string {
  const lines = generatorCalls.flatMap((call) => {
    if (call.isForm && style.hasForms !== true) return [];
    const { as, operation, shows, afterwards } = call;
    return [
      `  const ${as} = ${style.call({ ...call, credential: call.credential ?? 'token' })};`,
      `  if (!(${shows})) throw new Error(\`${operation}: \${JSON.stringify(${as})}\`);`,
      ...(afterwards === undefined ? [] : [`  ${afterwards}`]),
      `  called.push("${operation}");`,
    ];
  });
  return `${style.imports}
${givenType}
export async function walk(given: Given): Promise<string[]> {
  const called: string[] = [];
  const { phone } = given;
  const authorization = (token: string) => ({ Authorization: \`Bearer \${token}\` });
  const headers = { token: authorization(given.token), erp: authorization(given.erpToken), verification: { 'X-Public-Key': given.publicKey } };
${style.prelude}
${lines.join('\n')}
  return called;
}
`;
}

/** A literal of the fields that are given. */
export const literal = (fields: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return `{ ${given.join(', ')} }`;
};
