import * as z from 'zod';
import type { Context } from '../../shared/contract/context.ts';
import type { RouteSpec } from '../../shared/contract/route.ts';
import { isInLastFolder, placeInCollection, resourceTitle, sortedChapters } from './collection-order.ts';
import { openApi } from './openapi.ts';
import { placeholders, withVariables } from './placeholders.ts';
import { bodiesOf, sampleOf } from './sample.ts';

/**
 * All operations as requests that an API tool sends: what the collections of Postman and Bruno have in common. A run from the first to the last
 * request makes records, reads, changes and, in the last folder, deletes them; ids come from the answers before, by variables.
 */
export interface ApiCollection {
  name: string;
  description: string;
  variables: CollectionVariable[];
  folders: CollectionFolder[];
}

export interface CollectionVariable {
  name: string;
  value: string;
  description: string;
  isSecret?: true;
}

export interface CollectionFolder {
  name: string;
  description?: string;
  folders: CollectionFolder[];
  requests: CollectionRequest[];
}

export interface CollectionRequest {
  operationId: string;
  name: string;
  description: string;
  method: string;
  /** With its parameters as colons: `/api/v1/contacts/:id`. */
  path: string;
  pathValues: CollectionValue[];
  query: CollectionValue[];
  credential: CollectionCredential;
  /** Whether a fresh Idempotency-Key goes with each call. */
  takesKey: boolean;
  body: string | undefined;
  answer: { status: number; body: string } | undefined;
  /** What of the answer later requests use: the variable, and where its value stands. */
  stores: { variable: string; at: string } | undefined;
}

export interface CollectionValue {
  name: string;
  value: string;
}

export type CollectionCredential = 'token' | 'erp_token' | 'public_key' | 'none';

export const apiCollection = (contexts: readonly Context[]): ApiCollection => {
  const document = collectionDocument.parse(openApi(contexts));
  const described = describedOperations(document);
  const routes = contexts.flatMap(({ functions }) =>
    functions.flatMap((each) => (each.trigger === 'http' ? Object.entries(each.routes) : [])),
  );
  const requests = routes.flatMap(([name, route]) => requestsOf(name, route, described.get(name)));
  const ids = requests.flatMap(({ idVariables }) => idVariables);
  const known = new Set(ids.map(({ name }) => name));
  const placed = requests.map(({ request, chapter }) => ({ request: withStored(request, known), chapter }));
  const chapters = new Map(document.tags.map(({ name, 'x-displayName': title, description }) => [name, { title, description }]));
  return {
    name: 'Switchboard',
    description: introduction,
    variables: [...ownVariables, ...idsOnce(ids)],
    folders: [
      firstFolder(placed.map(({ request }) => request)),
      ...sortedChapters([...chapters.keys()]).flatMap((chapter) => {
        const own = placed.filter((each) => each.chapter === chapter && !isElsewhere(each.request));
        const { title = chapter, description = '' } = chapters.get(chapter) ?? {};
        return own.length === 0 ? [] : [{ ...byResource(own.map(({ request }) => request)), name: title, description }];
      }),
      lastFolder(placed.map(({ request }) => request)),
    ],
  };
};

const introduction = `Every operation of Switchboard, with its example body and an example answer. Written by \`npm run generate\` from the API's own definition.

Set \`base_url\` and \`token\`, and send the request under Start here. Requests that make something store its id in a variable, which the requests after it use. Each write carries a fresh Idempotency-Key, so that sending it again is a new call.

What deletes or revokes stands in the folder at the end: running another folder deletes nothing. Requests under Messages and Campaigns send: try them on \`npm run dev\`, where a simulator stands for WhatsApp.`;

const ownVariables: CollectionVariable[] = [
  { name: 'base_url', value: 'http://127.0.0.1:3000', description: 'The address of the deployment, without a slash at its end.' },
  { name: 'token', value: '', description: 'A personal access token, swb_...', isSecret: true },
  { name: 'erp_token', value: 'erp_...', description: 'An ERP token, for product sync and the order receiver.', isSecret: true },
  { name: 'webhook_token', value: 'webhook-token', description: 'The end of a receiver address.', isSecret: true },
  { name: 'public_key', value: 'pk_...', description: 'The public key of a verification profile.' },
  { name: 'magic_token', value: 'magic-token', description: 'The end of a sign-in link.' },
  // ids that are drawn at random: as the examples have them, until a request stores a real one
  ...Object.values(placeholders).map((value) => ({
    name: withVariables(value, (inShell) => inShell.toLowerCase()),
    value,
    description: 'Stored by the request that makes or lists it.',
  })),
];

const collectionDocument = z.object({
  tags: z.array(z.object({ name: z.string(), 'x-displayName': z.string(), description: z.string() })),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        summary: z.string(),
        description: z.string().default(''),
        tags: z.array(z.string()),
        responses: z.record(
          z.string(),
          z.looseObject({ content: z.record(z.string(), z.looseObject({ example: z.unknown().optional() })).optional() }),
        ),
      }),
    ),
  ),
});
type DescribedOperation = z.output<typeof collectionDocument>['paths'][string][string];

const describedOperations = ({ paths }: z.output<typeof collectionDocument>): Map<string, DescribedOperation> =>
  new Map(Object.values(paths).flatMap((methods) => Object.values(methods).map((each) => [each.operationId, each] as const)));

interface PlacedRequest {
  request: CollectionRequest;
  chapter: string;
  idVariables: CollectionValue[];
}

/** One request, or one for each kind of body that the operation takes. */
function requestsOf(operationId: string, route: RouteSpec, described: DescribedOperation | undefined): PlacedRequest[] {
  if (!described) throw new Error(`${operationId} is not in the document.`);
  const sample = sampleOf(operationId, route);
  const values = Object.entries(sample.params).map(([name, value]) => pathValue(route.path, name, String(value)));
  const answer = answerOf(described);
  const request = {
    operationId,
    name: described.summary,
    description: described.description,
    method: route.method,
    path: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    pathValues: values.map(({ name, value }) => ({ name, value })),
    query: Object.entries(sample.query).map(([name, value]) => ({
      name,
      value: filledIn(typeof value === 'string' ? value : JSON.stringify(value)),
    })),
    credential: credentialOf(route),
    takesKey: route.effect === 'write' && route.caller.kind !== 'public' && !route.accepts?.includes('raw'),
    body: bodyText(sample.body),
    answer,
    stores: undefined,
  };
  const further = Object.entries(bodiesOf(operationId, route) ?? {}).slice(1);
  const kinds = further.map(([kind, body]) => ({
    ...request,
    name: `${request.name}: ${kind.replaceAll('_', ' ')}`,
    body: bodyText(body),
    answer: undefined,
  }));
  const idVariables = values.flatMap(({ variable, shown }) => (variable === undefined ? [] : [{ name: variable, value: shown }]));
  const chapter = described.tags[0] === 'erasures' ? 'contacts' : (described.tags[0] ?? '');
  return [request, ...kinds].map((each) => ({ request: each, chapter, idVariables }));
}

/** Where the path carries the credential, no header does. */
function credentialOf({ caller, path }: RouteSpec): CollectionCredential {
  if (path.includes('_token}')) return 'none';
  return caller.kind === 'token' || caller.kind === 'erp_token' || caller.kind === 'public_key' ? caller.kind : 'none';
}

/** Ids of records are variables: `{id}` behind `contacts` is `contact_id`. An id with many digits is the provider's, and stays. */
function pathValue(path: string, name: string, shown: string): CollectionValue & { variable?: string; shown: string } {
  if (shown.startsWith('$')) return { name, value: `{{${shown.slice(1).toLowerCase()}}}`, shown };
  const isRecord = (name === 'id' || name.endsWith('_id')) && /^\d{1,6}$/.test(shown);
  if (!isRecord) return { name, value: filledIn(shown), shown };
  const [before = ''] = path.split(`/{${name}}`);
  const isOfConversation = name !== 'id' && before.includes('/conversations/');
  const variable = name === 'id' ? idVariableOf(before.split('/').at(-1) ?? '') : `${isOfConversation ? 'conversation_' : ''}${name}`;
  // of a token that was not made by this collection none is changed by mistake
  return { name, value: `{{${variable}}}`, variable, shown: variable === 'token_id' ? '0' : shown };
}

/** `machine-tokens` -> `machine_token_id`. */
const idVariableOf = (segment: string): string => `${segment.replaceAll('-', '_').replace(/ies$/, 'y').replace(/s$/, '')}_id`;

const idsOnce = (ids: readonly CollectionValue[]): CollectionVariable[] =>
  [...new Map(ids.toReversed().map(({ name, value }) => [name, value]))]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => ({ name, value, description: 'Stored by the request that makes such a record.' }));

const filledIn = (text: string): string => withVariables(text, (inShell) => `{{${inShell.toLowerCase()}}}`);

/** The body on several lines; keys of the caller's own are fresh each time, as the Idempotency-Key is. */
function bodyText(body: unknown): string | undefined {
  if (body === undefined) return undefined;
  const fresh = (key: string, value: unknown): unknown => (key === 'creation_key' || key === 'retry_key' ? '{{$randomUUID}}' : value);
  return filledIn(JSON.stringify(body, fresh, 2));
}

function answerOf({ responses }: DescribedOperation): CollectionRequest['answer'] {
  for (const [status, { content }] of Object.entries(responses)) {
    const example = content?.['application/json']?.example;
    if (status.startsWith('2') && example !== undefined) return { status: Number(status), body: JSON.stringify(example) };
  }
  return undefined;
}

/** Values that are no id of a record that the request makes. */
const storedByOperation: Readonly<Record<string, { variable: string; at: string }>> = {
  getMe: { variable: 'company_id', at: 'data.company_id' },
  createConversationNote: { variable: 'conversation_note_id', at: 'data.id' },
  sendText: { variable: 'message_id', at: 'data.message_id' },
  createSignup: { variable: 'signup_state', at: 'data.state' },
  createNumberLink: { variable: 'link_code', at: 'data.code' },
  requestVerification: { variable: 'request_id', at: 'request_id' },
  listVerificationProfiles: { variable: 'profile_id', at: 'data.0.id' },
  listLoggedRequests: { variable: 'logged_request_id', at: 'data.0.id' },
  createVerificationKey: { variable: 'key_id', at: 'data.id' },
  createVerificationTemplate: { variable: 'verification_template_id', at: 'data.id' },
  createVerificationWhitelist: { variable: 'entry_id', at: 'data.id' },
};

/** A request that makes a record stores its id, where other requests name such a record. The number of the example has no real counterpart. */
function withStored(request: CollectionRequest, known: ReadonlySet<string>): CollectionRequest {
  const explicit = storedByOperation[request.operationId];
  if (explicit) return { ...request, stores: explicit };
  const variable = idVariableOf(request.path.split('/').at(-1) ?? '');
  const isMade = request.method === 'POST' && request.operationId.startsWith('create') && known.has(variable);
  return isMade ? { ...request, stores: { variable, at: 'data.id' } } : request;
}

/** A folder for each resource, or none where there is one resource alone. */
function byResource(requests: readonly CollectionRequest[]): Pick<CollectionFolder, 'folders' | 'requests'> {
  const resources = Map.groupBy(requests, ({ operationId, path }) => resourceTitle(operationId, pathInDocument(path)));
  const sorted = [...resources]
    .map(([name, own]) => ({ name, folders: [], requests: inOrder(own) }))
    .toSorted((a, b) => firstPlace(a.requests) - firstPlace(b.requests));
  return sorted.length === 1 ? { folders: [], requests: inOrder(requests) } : { folders: sorted, requests: [] };
}

const pathInDocument = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

const inOrder = (requests: readonly CollectionRequest[]): CollectionRequest[] =>
  requests.toSorted((a, b) => placeInCollection(a.operationId) - placeInCollection(b.operationId));

const firstPlace = (requests: readonly CollectionRequest[]): number =>
  Math.min(...requests.map(({ operationId }) => placeInCollection(operationId)));

const isElsewhere = ({ operationId }: CollectionRequest): boolean => operationId === 'getMe' || isInLastFolder(operationId);

const firstFolder = (requests: readonly CollectionRequest[]): CollectionFolder => ({
  name: 'Start here',
  description: 'Whether the address and the token are right, and whose token it is. It stores the id of the company.',
  folders: [],
  requests: requests.filter(({ operationId }) => operationId === 'getMe'),
});

const lastFolder = (requests: readonly CollectionRequest[]): CollectionFolder => ({
  name: 'Delete and revoke',
  description: 'What ends records, secrets and sessions, in an order in which each finds what it ends.',
  folders: [],
  requests: inOrder(requests.filter(({ operationId }) => isInLastFolder(operationId))),
});
