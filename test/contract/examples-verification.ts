import { createProfile, issueKey } from '../../functions/account/service/verification.ts';
import { linkToken } from '../../functions/verification/service/secrets.ts';
import { granted } from '../support/company.ts';
import type { Example } from './examples.ts';
import type { ContractStage } from './stage.ts';

let phones = 0;
const newPhone = (): string => `+4915121${String(++phones).padStart(6, '0')}`;

/** A profile of the first company, and a key of its own for every request: 30 calls a minute are counted by key. */
const profiles = new WeakMap<ContractStage, Promise<string>>();
const publicKey = async (stage: ContractStage): Promise<string> => {
  const { id } = stage.company;
  const made = profiles.get(stage) ?? newProfile(id);
  profiles.set(stage, made);
  return granted(await issueKey(id, await made, {})).public_key;
};
async function newProfile(companyId: number): Promise<string> {
  const settings_json = { velocity: { max_identifiers: 1_000 } };
  return granted(await createProfile(companyId, { name: 'Sign-in', settings_json })).id;
}

const keyed = async (stage: ContractStage): Promise<{ headers: Record<string, string> }> => ({
  headers: { 'x-public-key': await publicKey(stage) },
});

/** A pending verification of a person nobody has asked for yet. */
async function pending(stage: ContractStage, more: Record<string, unknown> = {}): Promise<string> {
  const { headers } = await keyed(stage);
  const body = { identifier: newPhone(), ...more };
  const answer = await stage.world.call({ method: 'POST', path: '/api/v1/verification/request', headers, body });
  return (answer.body as { request_id: string }).request_id;
}
/** Ten pages a minute are counted by address: the link comes when the minute is over. */
const linkOf = async (stage: ContractStage): Promise<Example> => {
  stage.world.clock.advance(6_000);
  const request_id = await pending(stage);
  return { params: { request_id, token: await linkToken(stage.company.id, request_id) } };
};

export const verificationExamples: Readonly<Record<string, (stage: ContractStage) => Example | Promise<Example>>> = {
  verificationConfig: (stage) => keyed(stage),
  requestVerification: async (stage) => ({ ...(await keyed(stage)), body: { identifier: newPhone(), purpose: 'login' } }),
  verifyCode: async (stage) => ({ ...(await keyed(stage)), body: { request_id: await pending(stage), code: '000000' } }),
  verificationStatus: async (stage) => ({ ...(await keyed(stage)), params: { request_id: await pending(stage) } }),
  resendCode: async (stage) => ({ ...(await keyed(stage)), body: { request_id: await pending(stage, { silent: true }) } }),
  openMagicLink: linkOf,
  confirmMagicLink: linkOf,
};
