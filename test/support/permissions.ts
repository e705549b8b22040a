import type { FunctionSpec } from '../../shared/contract/context.ts';
import { countedOfCredential, type ProtectedEntity, protectedPartitions } from '../../shared/contract/resource.ts';
import { restoredCopyPartition } from '../../shared/table/restored-copy.ts';
import { actionsOf, currentFunction } from './crash-points.ts';
import { refuseTableCalls, tableError } from './sdk-hooks.ts';

const isAudit = (pk: string): boolean => /^C#.*#AUDIT$/.test(pk);

/** As the policy has them: a name, or the beginning of one. */
const isCounted = (attribute: string): boolean =>
  countedOfCredential.some((like) => (like.endsWith('*') ? attribute.startsWith(like.slice(0, -1)) : attribute === like));

const entityAt = (pk: string): ProtectedEntity | undefined =>
  (Object.keys(protectedPartitions) as ProtectedEntity[]).find((name) => pk.startsWith(protectedPartitions[name]));

interface TableWrite {
  action: string;
  pk: string;
  /** The attributes that an update names. */
  names: readonly string[];
}

/** Read without a schema: this runs before every call to the table, in every test. */
interface WriteInput {
  Item?: Readonly<Record<string, unknown>>;
  Key?: Readonly<Record<string, unknown>>;
  ExpressionAttributeNames?: Readonly<Record<string, string>>;
  TransactItems?: readonly Readonly<Record<string, WriteInput>>[];
  Statements?: readonly { Statement: string; Parameters: readonly unknown[] }[];
}

/** The writes of a call with their partitions: a command by itself, or the parts of a transaction. */
const writesOf = (command: string, input: WriteInput): TableWrite[] => {
  if (input.Statements) return input.Statements.map(statementWrite);
  const calls = input.TransactItems?.flatMap((part) => Object.entries(part)) ?? [[command, input] as const];
  return calls.flatMap(([name, part]) => {
    const action = /^(Put|Update|Delete)/.exec(name)?.[1];
    const pk = part.Item?.['pk'] ?? part.Key?.['pk'];
    return action && typeof pk === 'string'
      ? [{ action: `${action}Item`, pk, names: Object.values(part.ExpressionAttributeNames ?? {}) }]
      : [];
  });
};

/** A statement of `writeEach` names each attribute with a placeholder; the key is its last but two, or among those of an insertion. */
const statementWrite = ({
  Statement: statement,
  Parameters: parameters,
}: {
  Statement: string;
  Parameters: readonly unknown[];
}): TableWrite => {
  const names = [...statement.matchAll(/['"](\w+)['"](?=:\?|=\?)/g)].map(([, name]) => name ?? '');
  const action = statement.startsWith('INSERT') ? 'PutItem' : 'UpdateItem';
  return { action, pk: String(parameters[names.indexOf('pk')]), names: action === 'PutItem' ? [] : names };
};

/** The stack lets each function read it, where it is on a restored table (lib/aws/table.ts). */
const isReadOfRestoredCopy = (command: string, input: WriteInput): boolean =>
  command.startsWith('Get') && input.Key?.['pk'] === restoredCopyPartition;

const declaredBy = new WeakMap<FunctionSpec, ReadonlySet<string>>();

const actionsDeclaredBy = (spec: FunctionSpec): ReadonlySet<string> => {
  let declared = declaredBy.get(spec);
  if (!declared) declaredBy.set(spec, (declared = new Set(spec.uses.flatMap((use) => (use.resource === 'table' ? use.actions : [])))));
  return declared;
};

/** As IAM would: a call to the table that the function does not declare is refused. A transaction needs what its parts need. */
export const refuseUndeclaredCalls = (): void =>
  refuseTableCalls(({ command, input }) => {
    const spec = currentFunction();
    if (!spec || isReadOfRestoredCopy(command, input)) return;
    const declared = actionsDeclaredBy(spec);
    const missing = actionsOf(command, input).filter((action) => !declared.has(action));
    if (missing.length > 0)
      throw tableError('AccessDeniedException', { message: `${spec.name} does not declare ${missing.join(', ')} on the table.` });
    for (const write of writesOf(command, input)) {
      if (isAudit(write.pk) && !(spec.trigger === 'stream' && write.action === 'PutItem'))
        throw tableError('AccessDeniedException', { message: `${spec.name} may not ${write.action} an audit entry.` });
      const name = entityAt(write.pk);
      if (name === undefined || spec.mints?.includes(name)) continue;
      if (name === 'credential' && write.action === 'UpdateItem' && write.names.every(isCounted)) continue;
      throw tableError('AccessDeniedException', { message: `${spec.name} does not mint ${name}, and may not ${write.action} it.` });
    }
  });
