import type { Context } from '../../shared/contract/context.ts';
import { apiCollection, type CollectionCredential, type CollectionFolder, type CollectionRequest } from './collection.ts';
import { compactJson } from './compact-json.ts';

/** The collection for Postman and what reads its format, 2.1: https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html */
export const generatePostman = (contexts: readonly Context[]): { path: string; content: string } => {
  const { name, description, variables, folders } = apiCollection(contexts);
  const content = {
    info: { name, description, schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
    auth: postmanCredentials.token,
    event: [scriptOf('test', ["pm.test('no server error', () => pm.expect(pm.response.code).to.be.below(500));"])],
    variable: variables.map(({ name: key, value, description: about }) => ({ key, value, description: about })),
    item: folders.map(folderOf),
  };
  return { path: 'integrations/postman/switchboard.postman_collection.json', content: compactJson(content) };
};

const postmanCredentials: Readonly<Record<CollectionCredential, unknown>> = {
  token: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
  erp_token: { type: 'bearer', bearer: [{ key: 'token', value: '{{erp_token}}', type: 'string' }] },
  public_key: {
    type: 'apikey',
    apikey: [
      { key: 'key', value: 'X-Public-Key', type: 'string' },
      { key: 'value', value: '{{public_key}}', type: 'string' },
      { key: 'in', value: 'header', type: 'string' },
    ],
  },
  none: { type: 'noauth' },
};

const folderOf = ({ name, description, folders, requests }: CollectionFolder): unknown => ({
  name,
  description,
  item: [...folders.map(folderOf), ...requests.map(itemOf)],
});

function itemOf(request: CollectionRequest): unknown {
  const { name, description, credential, answer, stores } = request;
  const sent = sentRequest(request);
  return {
    name,
    event: stores && [
      scriptOf('test', [
        `const value = pm.response.code < 300 && pm.response.json().${pathOfValue(stores.at)};`,
        `if (value) pm.collectionVariables.set('${stores.variable}', String(value));`,
      ]),
    ],
    request: { ...sent, description, ...(credential === 'token' ? {} : { auth: postmanCredentials[credential] }) },
    response: answer
      ? [
          {
            name: 'Example',
            originalRequest: sent,
            status: answer.status === 200 ? 'OK' : String(answer.status),
            code: answer.status,
            _postman_previewlanguage: 'json',
            header: [{ key: 'Content-Type', value: 'application/json' }],
            body: answer.body,
          },
        ]
      : [],
  };
}

function sentRequest({ method, path, pathValues, query, takesKey, body }: CollectionRequest) {
  const encoded = query.map(({ name, value }) => ({ key: name, value: inAddress(value) }));
  const search = encoded.map(({ key, value }) => `${key}=${value}`).join('&');
  return {
    method,
    header: [
      ...(takesKey ? [{ key: 'Idempotency-Key', value: '{{$randomUUID}}' }] : []),
      ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
    ],
    url: {
      raw: `{{base_url}}${path}${search === '' ? '' : `?${search}`}`,
      host: ['{{base_url}}'],
      path: path.slice(1).split('/'),
      ...(query.length === 0 ? {} : { query: encoded }),
      ...(pathValues.length === 0 ? {} : { variable: pathValues.map(({ name, value }) => ({ key: name, value })) }),
    },
    ...(body === undefined ? {} : { body: { mode: 'raw', raw: body, options: { raw: { language: 'json' } } } }),
  };
}

/** A variable stays one. */
const inAddress = (value: string): string => encodeURIComponent(value).replaceAll('%7B%7B', '{{').replaceAll('%7D%7D', '}}');

const scriptOf = (listen: 'test' | 'prerequest', exec: string[]) => ({ listen, script: { type: 'text/javascript', exec } });

/** `data.0.id` -> `data?.[0]?.id` */
export const pathOfValue = (at: string): string =>
  at
    .split('.')
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : step))
    .join('?.');
