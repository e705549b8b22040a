import { type Input, type OperationName, paginate, switchboard, SwitchboardProblem } from '../../client/client.ts';
import type { CredentialRecord, NumberRecord } from '../../functions/account/contract.ts';
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
  /** Data or Problem of a call; both are as the services give them, from which the document is made. */
  const call = async <T>(answer: Promise<{ data: unknown }>): Outcome<T> => {
    try {
      return (await answer).data as T;
    } catch (error) {
      if (error instanceof SwitchboardProblem) return asProblem(error);
      throw error instanceof TypeError ? new Failure(`${baseUrl} does not respond.`) : error;
    }
  };
  const listMachine = async (kind: MachineKind): Outcome<CredentialRecord[]> => {
    const listed = await call<CredentialRecord[]>(api.listMachineTokens());
    return isProblem(listed) ? listed : listed.filter(({ receiver }) => (receiver === null) === (kind === 'erp_token'));
  };
  /** Calls only for a token of the kind: both kinds share the operations. */
  const ofKind = async <T>(kind: MachineKind, id: number, operation: () => Outcome<T>): Outcome<T> => {
    const listed = await listMachine(kind);
    if (isProblem(listed)) return listed;
    return listed.some((each) => each.id === id) ? operation() : problem('not_found');
  };
  /** The newest entries, page by page. */
  const listAudit = async (count: number): Outcome<AuditEntry[]> => {
    const entries: AuditEntry[] = [];
    const pages = paginate((cursor) => api.listAuditEntries({ query: { limit: Math.min(count, 100), ...cursor } }));
    for await (const entry of pages) {
      entries.push(entry as AuditEntry);
      if (entries.length >= count) break;
    }
    return entries;
  };
  const rotation = (overlapHours: number | undefined) => ({ body: defined({ overlap_hours: overlapHours }) });
  return {
    getCompany: () => call(api.getCompanySettings()),
    updateCompany: (body) => call(api.updateCompanySettings({ body: body as BodyOf<'updateCompanySettings'> })),
    listUsers: () => call(api.listUsers()),
    createUser: (body) => call(api.createUser({ body })),
    updateUser: (id, body, { mayLeaveNoOwner }) => {
      if (mayLeaveNoOwner) throw new UsageError('--even-last-owner is the operator’s: it works on the table alone.');
      return call(api.updateUser({ params: { id }, body: defined(body) }));
    },
    listTokens: (userId) => call(api.listTokens({ query: userId === undefined ? { all: true } : { user_id: userId } })),
    createToken: (body) => call(api.createToken({ body: body as BodyOf<'createToken'> })),
    rotateToken: (id, overlapHours) => call(api.rotateToken({ params: { id }, ...rotation(overlapHours) })),
    revokeToken: (id) => call(api.revokeToken({ params: { id } })),
    listMachineTokens: listMachine,
    createMachineToken: (body) => call(api.createMachineToken({ body })),
    rotateMachineToken: (kind, id, overlapHours) =>
      ofKind(kind, id, () => call(api.rotateMachineToken({ params: { id }, ...rotation(overlapHours) }))),
    setSharedSecret: (kind, id, secret) =>
      ofKind(kind, id, () => call(api.updateMachineToken({ params: { id }, body: { shared_secret: secret ?? null } }))),
    revokeMachineToken: (kind, id) => ofKind(kind, id, () => call(api.revokeMachineToken({ params: { id } }))),
    listNumbers: () => call(api.listNumbers()),
    addNumber: async ({ base_url, ...input }) => {
      refuseProviderAddress(base_url);
      const added = await call<NumberRecord & { verify_token: string }>(api.addNumber({ body: input as BodyOf<'addNumber'> }));
      if (isProblem(added)) return added;
      const { verify_token, ...number } = added;
      return { number, verify_token };
    },
    updateNumber: (id, { base_url, ...changes }) => {
      refuseProviderAddress(base_url);
      return call(api.updateNumber({ params: { id }, body: defined(changes) as BodyOf<'updateNumber'> }));
    },
    rotateNumberSecrets: (id, secrets) =>
      call(api.rotateNumberSecrets({ params: { id }, body: defined(secrets) as BodyOf<'rotateNumberSecrets'> })),
    checkNumber: async (id) => {
      const checked = await call<{ findings: ShownFinding[] }>(api.checkNumber({ params: { id } }));
      return isProblem(checked) ? checked : checked.findings.map(toFinding);
    },
    connectNumber: async (id, pin) => {
      const connected = await call<ShownConnection>(api.connectNumber({ params: { id }, body: defined({ pin }) }));
      if (isProblem(connected)) return connected;
      return {
        webhookTokenId: connected.webhook_token_id ?? undefined,
        formerTokenIds: connected.former_webhook_token_ids,
        templateCount: connected.templates ?? undefined,
        findings: connected.findings.map(toFinding),
      };
    },
    getUsage: (range) => call(api.getUsage({ query: defined(range) })),
    listAuditEntries: async (count) => {
      try {
        return await listAudit(count);
      } catch (error) {
        if (error instanceof SwitchboardProblem) return asProblem(error);
        throw error instanceof TypeError ? new Failure(`${baseUrl} does not respond.`) : error;
      }
    },
  };
}

interface ShownFinding {
  level: Finding['level'];
  message: string;
  remedy: string | null;
}
interface ShownConnection {
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
