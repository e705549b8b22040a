import type { Command } from 'commander';
import { type Input, type OperationName, switchboard, SwitchboardProblem } from '../../client/client.ts';
import {
  type CompanyRecord,
  type CredentialRecord,
  type Receiver,
  receiverPath,
  type UserRecord,
} from '../../functions/account/contract.ts';
import type { CompanyChanges } from '../../functions/account/contract/company.ts';
import type { TokenInput } from '../../functions/account/contract/token.ts';
import type { UserChanges, UserInput } from '../../functions/account/contract/user.ts';
import { getCompanyRecord, updateCompany } from '../../functions/account/service/companies.ts';
import * as machineTokens from '../../functions/account/service/machine-tokens.ts';
import * as tokens from '../../functions/account/service/tokens.ts';
import * as users from '../../functions/account/service/users.ts';
import { isProblem, problem, type Problem } from '../../shared/contract/problems.ts';
import { defined } from '../../shared/runtime/defined.ts';
import { asId } from './argument.ts';
import { Failure, UsageError } from './failure.ts';
import { receiverUrl } from './target.ts';

type MachineKind = machineTokens.MachineKind;
type Secret = CredentialRecord & { secret: string };
type MachineSecret = Secret & { url: string };
interface MachineInput {
  kind: MachineKind;
  receiver?: Receiver;
  name?: string;
  shared_secret?: string;
}
interface UserOptions {
  /** Of the operator alone: the last owner may go. */
  mayLeaveNoOwner: boolean;
}
type Outcome<T> = Promise<T | Problem>;

/** The account of one company as the commands see it: through the API with a token, or, for the operator, through the services on the table. */
export interface AccountAccess {
  getCompany: () => Outcome<CompanyRecord>;
  /** A plan is the operator's. */
  updateCompany: (changes: CompanyChanges) => Outcome<CompanyRecord>;
  listUsers: () => Outcome<UserRecord[]>;
  createUser: (input: UserInput) => Outcome<UserRecord>;
  updateUser: (id: number, changes: UserChanges, options: UserOptions) => Outcome<UserRecord>;
  listTokens: (userId?: number) => Outcome<CredentialRecord[]>;
  createToken: (input: TokenInput) => Outcome<Secret>;
  rotateToken: (id: number, overlapHours?: number) => Outcome<Secret>;
  revokeToken: (id: number) => Outcome<CredentialRecord>;
  listMachineTokens: (kind: MachineKind) => Outcome<CredentialRecord[]>;
  createMachineToken: (input: MachineInput) => Outcome<MachineSecret>;
  rotateMachineToken: (kind: MachineKind, id: number, overlapHours?: number) => Outcome<MachineSecret>;
  setSharedSecret: (kind: MachineKind, id: number, secret: string | undefined) => Outcome<CredentialRecord>;
  revokeMachineToken: (kind: MachineKind, id: number) => Outcome<CredentialRecord>;
}

/** Makes a command one that works over HTTP too: its company is the one of --token, or --company on the table. */
export const ofAccount = (command: Command): Command =>
  overHttp(command.option('--company <id>', 'id of the company; not with --token', asId));

/** Says that a command works over HTTP too. */
export const overHttp = (command: Command): Command => {
  httpCommands.add(command);
  return command;
};
const httpCommands = new WeakSet<Command>();

export interface HttpOptions {
  url?: string;
  token?: string;
}

/** Whether a command is called over HTTP; refuses options that do not go together. */
export const isOverHttp = (command: Command): boolean => {
  const { url, token = process.env['SWITCHBOARD_TOKEN'] } = command.optsWithGlobals<HttpOptions>();
  if (url === undefined) {
    if (command.optsWithGlobals<HttpOptions>().token !== undefined)
      throw new UsageError('Give --url with --token: the address of the API.');
    return false;
  }
  if (token === undefined) throw new UsageError('Give --token with --url, or set SWITCHBOARD_TOKEN.');
  if (!httpCommands.has(command))
    throw new UsageError('This command is the operator’s and works on the table: leave out --url and --token.');
  return true;
};

/** The account that a command is about. */
export const accountOf = (command: Command, companyId: number | undefined): AccountAccess => {
  if (!isOverHttp(command)) {
    if (companyId === undefined) throw new UsageError('Name the company with --company <id>, or call the API with --url and --token.');
    return onTable(companyId);
  }
  if (companyId !== undefined) throw new UsageError('Leave out the company with --token: a token belongs to one.');
  const { url = '', token = process.env['SWITCHBOARD_TOKEN'] } = command.optsWithGlobals<HttpOptions>();
  return overApi(url, token);
};

function overApi(baseUrl: string, token: string | undefined): AccountAccess {
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
  };
}

type BodyOf<Name extends OperationName> = Input<Name> extends { body?: infer Body } ? Body : never;

/** The refusal of the API as a Problem, as the services give it. */
function asProblem({ code, message, errors }: SwitchboardProblem): Problem {
  return { ...problem(code as Problem['problem'], { message }), ...(Object.keys(errors).length > 0 ? { errors } : {}) } as Problem;
}

function onTable(companyId: number): AccountAccess {
  const withSecret = async (issued: Outcome<tokens.IssuedToken>): Outcome<Secret> => {
    const outcome = await issued;
    return isProblem(outcome) ? outcome : { ...outcome.token, secret: outcome.secret };
  };
  const withUrl = async (issued: Outcome<tokens.IssuedToken>): Outcome<MachineSecret> => {
    const outcome = await withSecret(issued);
    return isProblem(outcome) ? outcome : { ...outcome, url: webhookUrl(outcome.receiver ?? 'custom', outcome.secret) };
  };
  return {
    getCompany: () => getCompanyRecord(companyId),
    updateCompany: (changes) => updateCompany(companyId, changes),
    listUsers: () => users.listUsers(companyId),
    createUser: (input) => users.createUser(companyId, input),
    updateUser: (id, changes, options) => users.updateUser(companyId, id, changes, options),
    listTokens: (userId) => tokens.listTokens(companyId, userId),
    createToken: (input) => withSecret(tokens.issueToken(companyId, input)),
    rotateToken: (id, overlapHours) => withSecret(tokens.rotateToken(companyId, id, overlapHours)),
    revokeToken: (id) => tokens.revokeToken(companyId, id),
    listMachineTokens: (kind) => machineTokens.listMachineTokens(companyId, kind),
    createMachineToken: ({ kind, receiver, ...input }) =>
      withUrl(
        kind === 'webhook_token' && receiver !== undefined
          ? machineTokens.issueWebhookToken(companyId, { receiver, ...input })
          : machineTokens.issueErpToken(companyId, input),
      ),
    rotateMachineToken: (kind, id, overlapHours) => withUrl(machineTokens.rotateMachineToken(companyId, kind, id, overlapHours)),
    setSharedSecret: (kind, id, secret) => machineTokens.setSharedSecret(companyId, kind, id, secret),
    revokeMachineToken: (kind, id) => machineTokens.revokeMachineToken(companyId, kind, id),
  };
}

/** The address that a sender posts to. */
export const webhookUrl = (receiver: Receiver | 'custom', token: string): string =>
  receiverUrl(
    receiver === 'custom' ? 'shop-custom' : receiver === 'messaging' ? 'messaging-webhook' : 'shop-webhook',
    receiverPath(receiver, token),
  );
