import * as z from 'zod';
import { credentialRights, type ProtectedEntity, protectedPartitions } from '../../shared/contract/resource.ts';
import { actionsOf, currentFunction } from './crash-points.ts';
import { refuseTableCalls, tableError } from './sdk-hooks.ts';

const isAudit = (pk: string): boolean => /^C#.*#AUDIT$/.test(pk);

const rights = new Set<string>(credentialRights);

const entityAt = (pk: string): ProtectedEntity | undefined =>
  (Object.keys(protectedPartitions) as ProtectedEntity[]).find((name) => pk.startsWith(protectedPartitions[name]));

interface TableWrite {
  action: string;
  pk: string;
  /** The attributes that an update names. */
  names: readonly string[];
}

const writeInput = z.looseObject({
  Item: z.looseObject({ pk: z.unknown() }).optional(),
  Key: z.looseObject({ pk: z.unknown() }).optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
});

/** The writes of a call with their partitions: a command by itself, or the parts of a transaction. */
const writesOf = (command: string, input: unknown): TableWrite[] => {
  const parts = z.object({ TransactItems: z.array(z.record(z.string(), z.unknown())) }).safeParse(input);
  const calls = parts.success ? parts.data.TransactItems.flatMap((part) => Object.entries(part)) : [[command, input] as const];
  return calls.flatMap(([name, part]) => {
    const action = /^(Put|Update|Delete)/.exec(name)?.[1];
    const { data } = writeInput.safeParse(part);
    const pk = data?.Item?.pk ?? data?.Key?.pk;
    return action && typeof pk === 'string'
      ? [{ action: `${action}Item`, pk, names: Object.values(data?.ExpressionAttributeNames ?? {}) }]
      : [];
  });
};

/** As IAM would: a call to the table that the function does not declare is refused. A transaction needs what its parts need. */
export const refuseUndeclaredCalls = (): void =>
  refuseTableCalls(({ command, input }) => {
    const spec = currentFunction();
    if (!spec) return;
    const declared = new Set<string>(spec.uses.flatMap((use) => (use.resource === 'table' ? use.actions : [])));
    const missing = actionsOf(command, input).filter((action) => !declared.has(action));
    if (missing.length > 0)
      throw tableError('AccessDeniedException', { message: `${spec.name} does not declare ${missing.join(', ')} on the table.` });
    for (const write of writesOf(command, input)) {
      if (isAudit(write.pk) && !(spec.trigger === 'stream' && write.action === 'PutItem'))
        throw tableError('AccessDeniedException', { message: `${spec.name} may not ${write.action} an audit entry.` });
      const name = entityAt(write.pk);
      if (name === undefined || spec.mints?.includes(name)) continue;
      if (name === 'credential' && write.action === 'UpdateItem' && !write.names.some((each) => rights.has(each))) continue;
      throw tableError('AccessDeniedException', { message: `${spec.name} does not mint ${name}, and may not ${write.action} it.` });
    }
  });
