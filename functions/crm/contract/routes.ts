import { leadRoutes } from './lead.ts';
import { noteRoutes } from './note.ts';
import { pipelineRoutes } from './pipeline.ts';
import { reportRoutes } from './report.ts';
import { taskRoutes } from './task.ts';

/** The operations of the CRM on its records (1§4), and the notes of a contact (A14). */
export const recordRoutes = { ...pipelineRoutes, ...leadRoutes, ...noteRoutes, ...taskRoutes, ...reportRoutes };
