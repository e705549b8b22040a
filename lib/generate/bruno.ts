import type { Context } from '../../shared/contract/context.ts';
import { apiCollection, type CollectionCredential, type CollectionFolder, type CollectionRequest } from './collection.ts';
import { compactJson } from './compact-json.ts';
import { pathOfValue } from './postman.ts';

/** The collection for Bruno, as one file in the bundled form of OpenCollection that Bruno imports: https://www.opencollection.com */
export const generateBruno = (contexts: readonly Context[]): { path: string; content: string } => {
  const { name, description, variables, folders } = apiCollection(contexts);
  const content = {
    opencollection: '1.0.0',
    info: { name, version: '1.0.0' },
    config: { environments: [{ name: 'Local', variables: environmentVariables }] },
    request: {
      auth: brunoCredentials.token,
      variables: variables
        .filter(({ name: key }) => !environmentVariables.some((each) => each.name === key))
        .map(({ name: key, value, description: about }) => ({ name: key, value, description: about })),
      scripts: [{ type: 'tests', code: "test('no server error', () => expect(res.getStatus()).to.be.below(500));" }],
    },
    docs: { content: description, type: 'text/markdown' },
    items: folders.map(brunoFolder),
    bundled: true,
    extensions: { bruno: { ignore: ['node_modules', '.git'] } },
  };
  return { path: 'integrations/bruno/switchboard.opencollection.json', content: compactJson(content) };
};

/** What differs by deployment; secrets have no value in a file. */
const environmentVariables = [
  { name: 'base_url', value: 'http://127.0.0.1:3000' },
  { name: 'token', secret: true },
  { name: 'erp_token', secret: true },
  { name: 'webhook_token', secret: true },
  { name: 'public_key', value: 'pk_...' },
];

const brunoCredentials: Readonly<Record<CollectionCredential, unknown>> = {
  token: { type: 'bearer', token: '{{token}}' },
  erp_token: { type: 'bearer', token: '{{erp_token}}' },
  public_key: { type: 'apikey', key: 'X-Public-Key', value: '{{public_key}}', placement: 'header' },
  none: undefined,
};

const brunoFolder = ({ name, description, folders, requests }: CollectionFolder, nth: number): unknown => ({
  info: { name, type: 'folder', seq: nth + 1 },
  // without one, folders are sorted by name
  docs: { content: description ?? name, type: 'text/markdown' },
  request: { auth: 'inherit' },
  items: [...folders.map(brunoFolder), ...requests.map(brunoItem)],
});

function brunoItem({ name, description, credential, answer, stores, ...request }: CollectionRequest, nth: number): unknown {
  const url = `{{base_url}}${request.path}`;
  // Bruno encodes the values of a query itself
  const search = request.query.map(({ name: key, value }) => `${key}=${value}`).join('&');
  const body = request.body === undefined ? {} : { body: { type: 'json', data: request.body } };
  const params = [
    ...request.query.map(({ name: key, value }) => ({ name: key, value, type: 'query' })),
    ...request.pathValues.map(({ name: key, value }) => ({ name: key, value, type: 'path' })),
  ];
  const address = search === '' ? url : `${url}?${search}`;
  return {
    info: { name: fileName(name), type: 'http', seq: nth + 1 },
    http: {
      method: request.method,
      url: address,
      ...(params.length === 0 ? {} : { params }),
      ...(request.takesKey ? { headers: [{ name: 'Idempotency-Key', value: '{{$randomUUID}}' }] } : {}),
      ...body,
      auth: credential === 'token' ? 'inherit' : brunoCredentials[credential],
    },
    runtime: stores && {
      scripts: [
        {
          type: 'after-response',
          code: `const value = res.getStatus() < 300 && res.getBody()?.${pathOfValue(stores.at)};\nif (value) bru.setVar('${stores.variable}', String(value));`,
        },
      ],
    },
    settings: { followRedirects: false },
    docs: description === '' ? undefined : description,
    examples: answer && [
      {
        name: 'Example',
        request: { method: request.method, url: address, ...body },
        response: {
          status: answer.status,
          statusText: answer.status === 200 ? 'OK' : String(answer.status),
          headers: [{ name: 'Content-Type', value: 'application/json' }],
          body: { type: 'json', data: answer.body },
        },
      },
    ],
  };
}

/** Bruno names a file after each request: a name that no file can have would be changed. */
const fileName = (name: string): string => name.replaceAll(/[<>:"/\\|?*]+\s*/g, ', ').replaceAll(/ ,/g, ',');
