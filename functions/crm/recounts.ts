import { recount } from '../../shared/events/recount.ts';
import { comparableEntries } from './domain/lead-page.ts';
import { activityEntity } from './store/lead.ts';
import { cellsEntity, leadPageEntity, leadRowEntity, taskRowEntity } from './store/row.ts';

/** Whether a follow-up is overdue depends on the time, and due work keeps it up; the bound of a cell only grows. Neither is compared. */
export const recounts = [
  recount(activityEntity, { facts: ({ entry }) => entry, fields: ['entry'], isPartial: true }),
  recount(leadRowEntity, {
    facts: ({ pipelineId, stageId, ownerId, updatedAt }) => [pipelineId, stageId, ownerId, updatedAt],
    fields: ['pipelineId', 'stageId', 'ownerId', 'updatedAt'],
  }),
  recount(taskRowEntity, { facts: ({ task }) => task, fields: ['task'] }),
  recount(cellsEntity, {
    facts: ({ cells }) =>
      Object.entries(cells)
        .map(([cell, [count]]) => [cell, count] as const)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    fields: ['cells'],
  }),
  recount(leadPageEntity, { facts: comparableEntries, fields: ['packed'] }),
];
