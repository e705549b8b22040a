import { type ErasureStep, erasureStep } from '../../shared/contract/erasure.ts';
import { setAsideChangeName } from '../change-stream/contract.ts';
import { setAsideChangesToErase } from './service/erase-set-aside.ts';

export const erasure: readonly ErasureStep[] = [
  erasureStep({ name: 'set_aside_changes', ends: [setAsideChangeName] }, setAsideChangesToErase),
];
