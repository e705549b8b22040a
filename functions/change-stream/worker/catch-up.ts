import type { Context as LambdaContext } from 'aws-lambda';
import { runFields, withLogScope } from '../../../shared/runtime/log.ts';
import { storedKinds } from '../../../shared/table/kinds.generated.ts';
import { projections, reactions } from '../registry.generated.ts';
import { catchUp } from '../service/catch-up.ts';

export const handler = (_event: unknown, context?: LambdaContext): Promise<void> =>
  withLogScope(runFields(context), () => catchUp({ reactions, projections, kinds: new Set(storedKinds) }));
