import { leadRoutes } from './lead.ts';
import { noteRoutes } from './note.ts';
import { pipelineRoutes } from './pipeline.ts';
import { preferenceRoutes } from './preference.ts';
import { reportRoutes } from './report.ts';
import { taskRoutes } from './task.ts';

/** The operations of the CRM (1§4), and the notes of a contact (A14). */
export const crmRoutes = { ...pipelineRoutes, ...leadRoutes, ...noteRoutes, ...taskRoutes, ...reportRoutes, ...preferenceRoutes };
