import * as z from 'zod';
import { route } from '../../shared/contract/route.ts';
import { sections } from './domain/pages.ts';

/** What is below /docs beside the pages, with its content type. The page loads nothing from another host. */
export const fileTypes = {
  contents: 'text/html; charset=utf-8',
  'contents.md': 'text/markdown; charset=utf-8',
  'llms.txt': 'text/plain; charset=utf-8',
  'openapi.json': 'application/json',
  'code-samples.json': 'application/json',
  'redoc.js': 'text/javascript; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
} as const;
/** The guides by the names of their pages, in their order. */
export const guideSources = {
  'first-message': 'docs/guides/01-first-message.md',
  authentication: 'docs/guides/02-authentication.md',
  contacts: 'docs/guides/03-contacts.md',
  conversations: 'docs/guides/04-conversations.md',
  templates: 'docs/guides/05-templates.md',
  campaigns: 'docs/guides/06-campaigns.md',
  webhooks: 'docs/guides/07-webhooks.md',
  verification: 'docs/guides/08-verification.md',
  shop: 'docs/guides/09-shop.md',
  account: 'docs/guides/10-account.md',
  money: 'docs/guides/11-money.md',
  // of the reference page these are beside the document: they would make it larger for everyone who loads it
  'move-from-twilio': 'docs/moving/twilio.md',
  'move-from-wati': 'docs/moving/wati.md',
  'move-from-360dialog': 'docs/moving/360dialog.md',
  'move-from-chatwoot': 'docs/moving/chatwoot.md',
} as const;
export type GuideName = keyof typeof guideSources;

/** What a reader may look for in each, in words that stand in the list of all pages. */
export const guideTopics: Readonly<Record<GuideName, string>> = {
  'first-message': 'the sandbox on your computer, curl and the SDK for TypeScript, how to retry safely',
  authentication: 'tokens, rate limits, pagination, errors',
  contacts: 'phones, consent, opt-out, imports of CSV files, GDPR',
  conversations: 'the inbox, the 24-hour window, replies, scheduled messages',
  templates: 'creating, syncing and sending them, media',
  campaigns: 'audiences, pauses, results',
  webhooks: 'events, signatures, retries, the event feed',
  verification: 'one-time passwords by WhatsApp and email, signed calls',
  shop: 'products, orders, ERP sync, abandoned carts, parcels',
  account: 'users, tokens, numbers, usage and billing',
  money: 'prices, rate cards, what a send will cost, what messages cost',
  'move-from-twilio': 'migrate the number, templates, contacts, consent and calls',
  'move-from-wati': 'migrate the number, templates, contacts, consent and calls',
  'move-from-360dialog': 'migrate the number, templates, contacts, consent and calls',
  'move-from-chatwoot': 'migrate the inbox, contacts, labels and calls',
};

/** The source of each file in the repository; the lists of pages are made of them. */
export const fileSources = {
  ...guideSources,
  'openapi.json': 'openapi.json',
  'code-samples.json': 'functions/api-reference/files/code-samples.generated.json',
  'redoc.js': 'node_modules/redoc/bundles/redoc.standalone.js',
  'page.js': 'functions/api-reference/files/page.js',
} as const;
export type FileName = keyof typeof fileTypes;

const page = {
  method: 'GET',
  caller: { kind: 'public' },
  limit: 'public',
  isStatic: true,
  errors: [],
} as const;

export const referenceRoutes = {
  showReference: route({
    ...page,
    path: '/docs',
    summary: 'Get the API reference page',
    description: 'Returns this page.',
    answers: { 200: z.string() },
    contentTypes: ['text/html; charset=utf-8'],
  }),
  showReferenceFile: route({
    ...page,
    path: '/docs/{file}',
    summary: 'Get a file of the API reference page',
    description:
      'Returns a file that the page loads, such as the OpenAPI document; or the list of all pages, for people (`contents`) and for programs (`llms.txt`).',
    params: z.strictObject({ file: z.enum(Object.keys(fileTypes) as [FileName, ...FileName[]]) }),
    answers: { 200: z.string() },
    contentTypes: [...new Set(Object.values(fileTypes))] as unknown as [string, ...string[]],
    errors: ['not_found'],
  }),
  showReferencePage: route({
    ...page,
    path: '/docs/{section}/{page}',
    summary: 'Get a page of the API reference',
    description:
      'Returns a guide, an operation or an error as a page of its own, which needs no script; with `.md` behind its name as Markdown.',
    params: z.strictObject({
      section: z.enum(sections).meta({ description: 'What the page is about.', example: 'operations' }),
      page: z
        .string()
        .regex(/^[A-Za-z0-9_-]{1,80}(\.md)?$/, { error: 'Must be the name of a page.' })
        .meta({ description: 'The name of the guide, the id of the operation, or the code of the error.', example: 'sendText' }),
    }),
    answers: { 200: z.string() },
    contentTypes: ['text/html; charset=utf-8', 'text/markdown; charset=utf-8'],
    errors: ['not_found'],
  }),
};
