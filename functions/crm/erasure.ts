import { erasureStep, type ErasureStep } from '../../shared/contract/erasure.ts';
import { leadsToErase, preferencesToErase } from './service/erase-leads.ts';

export const erasure: readonly ErasureStep[] = [
  { name: 'leads', ends: ['lead', 'lead-page', 'note', 'task', 'task-row', 'activity'], find: leadsToErase },
  erasureStep({ name: 'work_numbers', ends: ['staff-preference'] }, preferencesToErase),
];
