import openapi from '../../openapi.json' with { type: 'json' };

/** Answers that are made from the OpenAPI document: what a page may get of any operation, without a product behind it. */

interface Schema {
  $ref?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
  format?: string;
  example?: unknown;
  minimum?: number;
  maximum?: number;
}

interface Described {
  operationId: string;
  responses: Readonly<Record<string, { content?: Readonly<Record<string, { schema?: Schema }>> }>>;
}

export interface MadeOperation {
  id: string;
  method: string;
  pattern: RegExp;
  status: number;
  schema: Schema | undefined;
}

const schemas = openapi.components.schemas as unknown as Readonly<Record<string, Schema>>;

/** Every operation, those with fewer places in their path first: `/contacts/fields` before `/contacts/{id}`. */
const operations: readonly MadeOperation[] = Object.entries(openapi.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods as unknown as Readonly<Record<string, Described>>).flatMap(([method, described]) => {
      const found = Object.entries(described.responses ?? {}).find(([code]) => code.startsWith('2'));
      if (!found) return [];
      const [code, { content }] = found;
      return [
        {
          id: described.operationId,
          method: method.toUpperCase(),
          pattern: new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
          status: Number(code),
          schema: content?.['application/json']?.schema,
          places: path.split('{').length,
        },
      ];
    }),
  )
  .toSorted((one, other) => one.places - other.places);

export const operationAt = (method: string, path: string): MadeOperation | undefined =>
  operations.find((each) => each.method === method && each.pattern.test(path));

/** Values by the names that fields have; `nth` makes those of one list differ. */
const byName: Readonly<Record<string, (nth: number, now: number) => unknown>> = {
  name: (nth) => ['Ada Lovelace', 'محمد عبد الرحمن', 'Maximiliane-Charlotte von Hohenstein-Wittelsbach', 'Kim'][nth % 4],
  phone: (nth) => `4915112345${String(600 + nth)}`,
  email: (nth) => `person.${nth}@alder.example`,
  url: (nth) => `https://example.com/hook/${nth}`,
  upload: (_nth, now) => ({
    url: 'https://example.com/file.png',
    method: 'PUT',
    headers: {},
    expires_at: new Date(now + 60_000).toISOString(),
  }),
  wa_link: () => 'https://wa.me/15550100001?text=ABCD',
  timezone: () => 'Europe/Berlin',
  language: () => 'en_US',
  body: () => '{"answer":"thank you"}',
  value: (nth) => ['Is it in stock?', '*Bold* and https://example.com/a_b.', 'Hello, '.repeat(40)][nth % 3],
  scopes: () => ['contacts:read', 'messages:send', 'profile:read'],
  code: (nth) => ['DE', 'FR', 'EG', 'US'][nth % 4],
  date: (nth, now) => new Date(now - nth * 86_400_000).toISOString().slice(0, 10),
  currency: () => 'EUR',
  last4: (nth) => String(1_000 + nth),
  subtype: (nth) => ['text', 'text', 'image', 'location', 'template', 'unsupported'][nth % 6],
  message_type: (nth) => [1, 1, 2, 3, 1, 1][nth % 6],
  is_message_by_contact: (nth) => (nth + 1) % 2,
  error_code: (nth) => (nth % 5 === 4 ? 131_026 : null),
  has_more: () => false,
  next_cursor: () => null,
  events: () => ['order.created', 'message.received'],
  action: (nth) => ['user.updated', 'number.created', 'credential.created', 'company.updated'][nth % 4],
  components: () => [
    { type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.', example: { body_text: [['Kim', 'A-1']] } },
    { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Thank you' }] },
  ],
  next_before_id: () => null,
  is_current: (nth) => nth === 0,
  media_type: () => 'image',
  mime_type: () => 'image/png',
};

/** One value of a schema. */
export const valueOf = (schema: Schema, nth: number, rows: number, now: number, name = ''): unknown => {
  if (schema.$ref !== undefined) return valueOf(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, nth, rows, now, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[nth % schema.enum.length];
  const given = byName[name]?.(nth, now);
  const types = schema.type === undefined ? [] : [schema.type].flat();
  const isAllowed =
    types.length === 0 ||
    types.includes(given === null ? 'null' : Array.isArray(given) ? 'array' : typeof given === 'number' ? 'integer' : typeof given);
  if (given !== undefined && isAllowed && !types.includes('object') && !schema.properties) return given;
  const options = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (options.length > 0) {
    const isNull = options.some(({ type }) => type === 'null');
    if (isNull && nth % 3 === 2) return null;
    return valueOf(options.find(({ type }) => type !== 'null') ?? {}, nth, rows, now, name);
  }
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((each) => valueOf(each, nth, rows, now)));
  if (schema.properties)
    return Object.fromEntries(Object.entries(schema.properties).map(([key, each]) => [key, valueOf(each, nth, rows, now, key)]));
  if (types.includes('null') && nth % 3 === 2) return null;
  if (types.includes('array')) {
    const items = schema.items ?? {};
    // the rows of a list; lists within a row are short
    return Array.from({ length: name === 'data' || name === 'days' ? rows : Math.min(rows, 2) }, (_, index) =>
      valueOf(items, name === 'data' || name === 'days' ? index : nth + index, rows, now),
    );
  }
  if (types.includes('boolean')) return nth % 2 === 0;
  if (types.includes('integer') || types.includes('number'))
    return name === 'id' || name.endsWith('_id') ? nth + 1 : Math.min(schema.maximum ?? 40, Math.max(schema.minimum ?? 0, 3 + nth));
  if (types.includes('string')) return textOf(schema, nth, now, name);
  return {};
};

const textOf = ({ format, example }: Schema, nth: number, now: number, name: string): string => {
  if (format === 'date-time')
    return new Date(now - (name.startsWith('expires') || name.startsWith('next') ? -1 : 1) * (nth + 1) * 90_000).toISOString();
  if (format === 'uri' || name.endsWith('_url')) return 'https://example.com/file.png';
  if (name === 'id' || name === 'next_cursor') return `${1_000 - nth}.0`;
  return typeof example === 'string' ? `${example}` : `${name.replaceAll('_', ' ')} ${nth + 1}`;
};

/** What an operation answers with lists of so many rows. */
export const answerOf = ({ schema }: MadeOperation, rows: number, now: number): unknown =>
  schema === undefined ? undefined : valueOf(schema, 0, rows, now);
