import * as z from 'zod';
import { route } from '../../shared/contract/route.ts';

/** What the page loads, and its type. Nothing comes from anywhere else. */
export const fileTypes = {
  'openapi.json': 'application/json',
  'redoc.js': 'text/javascript; charset=utf-8',
} as const;
/** Where the files come from in the repository. */
export const fileSources: Readonly<Record<FileName, string>> = {
  'openapi.json': 'openapi.json',
  'redoc.js': 'node_modules/redoc/bundles/redoc.standalone.js',
};
export type FileName = keyof typeof fileTypes;

const page = {
  method: 'GET',
  caller: { kind: 'nobody' },
  limit: 'public',
  effect: 'read',
  errors: [],
} as const;

export const referenceRoutes = {
  showReference: route({
    ...page,
    path: '/docs',
    summary: 'This reference, as a page',
    answers: { 200: z.string() },
    contentTypes: ['text/html; charset=utf-8'],
  }),
  showReferenceFile: route({
    ...page,
    path: '/docs/{file}',
    summary: 'What the page is made of: the OpenAPI document, and the renderer',
    params: z.strictObject({ file: z.enum(Object.keys(fileTypes) as [FileName, ...FileName[]]) }),
    answers: { 200: z.string() },
    contentTypes: Object.values(fileTypes) as [string, ...string[]],
    errors: ['not_found'],
  }),
};
