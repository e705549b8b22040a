import { activityEntity } from './store/lead.ts';
import { cellsEntity, leadPageEntity, leadRowEntity, taskRowEntity } from './store/row.ts';

export const projections = [activityEntity, leadRowEntity, taskRowEntity, cellsEntity, leadPageEntity];
