import { auditEntity } from './store/audit.ts';

export const projections = [auditEntity];
