import { auditEntity } from './store/audit.ts';
import { usagePartEntity } from './store/usage.ts';

export const projections = [auditEntity, usagePartEntity];
