import { type Input, type OperationName, paginate, switchboard, SwitchboardProblem } from '../../client/client.ts';
import type { CredentialRecord, NumberRecord } from '../../functions/account/contract/record.ts';
import type { AuditEntry } from '../../functions/account/contract/audit.ts';
import type { MachineKind } from '../../functions/account/service/machine-tokens.ts';
import type { Finding } from '../../functions/messaging/contract/finding.ts';
import { isProblem, problem, type Problem } from '../../shared/contract/problems.ts';
import { defined } from '../../shared/runtime/defined.ts';
import type { AccountAccess, Outcome } from './account.ts';
import { Failure, UsageError } from './failure.ts';

/** The account of the company of a token, by the operations of the API. */
export function accountOverApi(baseUrl: string, token: string | undefined): AccountAccess {
  const api = switchboard({ baseUrl, token });
  const call = <T>(answer: Promise<{ data: unknown }>): Outcome<T> => outcomeOf(baseUrl, answer);
  const listMachine = async (kind: MachineKind): Outcome<CredentialRecord[]> => {
    const listed = await call<CredentialRecord[]>(api.machineTokens.list());
    return isProblem(listed) ? listed : listed.filter(({ receiver }) => (receiver === null) === (kind === 'erp_token'));
  };
  /** Calls only for a token of the kind: both kinds share the operations. */
  const ofKind = async <T>(kind: MachineKind, id: number, operation: () => Outcome<T>): Outcome<T> => {
    const listed = await listMachine(kind);
    if (isProblem(listed)) return listed;
    return listed.some((each) => each.id === id) ? operation() : problem('not_found');
  };
  return {
    getCompany: () => call(api.company.getSettings()),
    updateCompany: (body) => call(api.company.updateSettings({ body: body as BodyOf<'updateCompanySettings'> })),
    listUsers: () => call(api.users.list()),
    createUser: (body) => call(api.users.create({ body })),
    updateUser: (id, body, { mayLeaveNoOwner }) => {
      if (mayLeaveNoOwner) throw new UsageError('--even-last-owner is the operator’s: it works on the table alone.');
      return call(api.users.update({ params: { id }, body: defined(body) }));
    },
    listTokens: (userId) => call(api.tokens.list({ query: userId === undefined ? { all: true } : { user_id: userId } })),
    createToken: (body) => call(api.tokens.create({ body: body as BodyOf<'createToken'> })),
    rotateToken: (id, overlapHours) => call(api.tokens.rotate({ params: { id }, ...rotation(overlapHours) })),
    revokeToken: (id) => call(api.tokens.revoke({ params: { id } })),
    listMachineTokens: listMachine,
    createMachineToken: (body) => call(api.machineTokens.create({ body })),
    rotateMachineToken: (kind, id, overlapHours) =>
      ofKind(kind, id, () => call(api.machineTokens.rotate({ params: { id }, ...rotation(overlapHours) }))),
    setSharedSecret: (kind, id, secret) =>
      ofKind(kind, id, () => call(api.machineTokens.update({ params: { id }, body: { shared_secret: secret ?? null } }))),
    revokeMachineToken: (kind, id) => ofKind(kind, id, () => call(api.machineTokens.revoke({ params: { id } }))),
    listNumbers: () => call(api.numbers.list()),
    addNumber: async ({ base_url, ...input }) => {
      refuseProviderAddress(base_url);
      const added = await call<NumberRecord & { verify_token: string }>(api.numbers.add({ body: input as BodyOf<'addNumber'> }));
      if (isProblem(added)) return added;
      const { verify_token, ...number } = added;
      return { number, verify_token };
    },
    updateNumber: (id, { base_url, ...changes }) => {
      refuseProviderAddress(base_url);
      return call(api.numbers.update({ params: { id }, body: defined(changes) as BodyOf<'updateNumber'> }));
    },
    rotateNumberSecrets: (id, secrets) =>
      call(api.numbers.rotateSecrets({ params: { id }, body: defined(secrets) as BodyOf<'rotateNumberSecrets'> })),
    checkNumber: async (id) => {
      const checked = await call<{ findings: ShownFinding[] }>(api.numbers.check({ params: { id } }));
      return isProblem(checked) ? checked : checked.findings.map(toFinding);
    },
    connectNumber: async (id, pin) => {
      const connected = await call<ShownConnection>(api.numbers.connect({ params: { id }, body: defined({ pin }) }));
      if (isProblem(connected)) return connected;
      return {
        isConnected: connected.is_connected || connected.webhook_token_id !== null,
        webhookTokenId: connected.webhook_token_id ?? undefined,
        formerTokenIds: connected.former_webhook_token_ids,
        templateCount: connected.templates ?? undefined,
        findings: connected.findings.map(toFinding),
      };
    },
    getUsage: (range) => call(api.usage.get({ query: defined(range) })),
    listAuditEntries: (count) => call(newestAuditEntries(api, count)),
  };
}

/** Data or Problem of a call; both are as the services give them, from which the document is made. */
async function outcomeOf<T>(baseUrl: string, answer: Promise<{ data: unknown }>): Outcome<T> {
  try {
    return (await answer).data as T;
  } catch (error) {
    if (error instanceof SwitchboardProblem) return asProblem(error);
    throw error instanceof TypeError ? new Failure(`${baseUrl} does not respond.`) : error;
  }
}

/** Page by page. */
async function newestAuditEntries(api: ReturnType<typeof switchboard>, count: number): Promise<{ data: AuditEntry[] }> {
  const data: AuditEntry[] = [];
  const pages = paginate((cursor) => api.audit.listEntries({ query: { limit: Math.min(count, 100), ...cursor } }));
  for await (const entry of pages) {
    data.push(entry as AuditEntry);
    if (data.length >= count) break;
  }
  return { data };
}

const rotation = (overlapHours: number | undefined) => ({ body: defined({ overlap_hours: overlapHours }) });

interface ShownFinding {
  level: Finding['level'];
  message: string;
  remedy: string | null;
}
interface ShownConnection {
  is_connected: boolean;
  webhook_token_id: number | null;
  former_webhook_token_ids: number[];
  templates: number | null;
  findings: ShownFinding[];
}
const toFinding = ({ level, message, remedy }: ShownFinding): Finding => defined({ level, message, remedy: remedy ?? undefined });

function refuseProviderAddress(url: string | null | undefined): void {
  if (url !== undefined) throw new UsageError('Where the provider is, the operator decides: --base-url works on the table alone.');
}

type BodyOf<Name extends OperationName> = Input<Name> extends { body?: infer Body } ? Body : never;

/** The refusal of the API as a Problem, as the services give it. */
function asProblem({ code, message, errors }: SwitchboardProblem): Problem {
  return { ...problem(code as Problem['problem'], { message }), ...(Object.keys(errors).length > 0 ? { errors } : {}) } as Problem;
}
