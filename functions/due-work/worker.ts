import type { Context as LambdaContext } from 'aws-lambda';
import { runFields, withLogScope } from '../../shared/runtime/log.ts';
import { placeDueWork } from './service.ts';

export const handler = (_event: unknown, context?: LambdaContext): Promise<void> => withLogScope(runFields(context), placeDueWork);
