import { leadRoutes } from './lead.ts';
import { noteRoutes } from './note.ts';
import { pipelineRoutes } from './pipeline.ts';
import { reportRoutes } from './report.ts';
import { taskRoutes } from './task.ts';

/** The operations on CRM records, and the notes of a contact. */
export const recordRoutes = { ...pipelineRoutes, ...leadRoutes, ...noteRoutes, ...taskRoutes, ...reportRoutes };
