import * as z from 'zod';
import { deleted, success } from '../../../shared/contract/envelope.ts';
import { pathId, text, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { contactFilter, filterRules } from './list.ts';

export const maxSegments = 200;

const name = text(100, 1).meta({ description: 'Name, unique in the company ignoring case.' });

/** A segment in responses. */
export const segmentRecord = z
  .object({
    id: z.int().meta({ description: 'The id of the segment.' }),
    name,
    filter: filterRules,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Segment', description: 'A saved filter of contacts.' });
export type SegmentRecord = z.output<typeof segmentRecord>;

const segmentBody = z.object({ name, filter: contactFilter });
export type SegmentBody = z.output<typeof segmentBody>;

const params = z.object({ id: pathId.meta({ description: 'The id of the segment.' }) });
const reader = { kind: 'token', scope: 'contacts:read', role: 'viewer' } as const;
const writer = { kind: 'token', scope: 'contacts:write', role: 'member' } as const;

export const segmentRoutes = {
  listSegments: route({
    method: 'GET',
    path: '/api/v1/segments',
    summary: 'List segments',
    description: 'Lists the saved filters of the company, oldest first. A segment is evaluated whenever it is used.',
    caller: reader,
    answers: { 200: success(z.array(segmentRecord)) },
    errors: [],
  }),
  createSegment: route({
    method: 'POST',
    path: '/api/v1/segments',
    summary: 'Create a segment',
    description:
      'Saves a filter of contacts under a name, for `GET /contacts?segment_id=`, for contact jobs and as the audience of campaigns. A company has at most 200.',
    caller: writer,
    unknownFields: 'refuse',
    body: segmentBody.meta({ id: 'CreateSegmentRequest' }),
    answers: { 200: success(segmentRecord) },
    refuses: ['taken', 'limit', 'filter'],
    errors: ['validation_failed'],
  }),
  updateSegment: route({
    method: 'PUT',
    path: '/api/v1/segments/{id}',
    summary: 'Replace the name and filter of a segment',
    description: 'Replaces a segment. Scheduled campaigns use it as it is when their recipients are chosen.',
    caller: writer,
    unknownFields: 'refuse',
    params,
    body: segmentBody.meta({ id: 'UpdateSegmentRequest' }),
    answers: { 200: success(segmentRecord) },
    refuses: ['taken', 'filter'],
    errors: ['validation_failed', 'not_found', 'conflict'],
  }),
  deleteSegment: route({
    method: 'DELETE',
    path: '/api/v1/segments/{id}',
    summary: 'Delete a segment',
    description: 'Deletes a segment; its contacts are untouched. A campaign that still waits with it as audience fails.',
    caller: writer,
    params,
    answers: { 200: deleted },
    errors: ['not_found'],
  }),
};
