import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import {
  createVerificationTemplate,
  deleteVerificationTemplate,
  listVerificationTemplates,
} from '../../functions/verification/service/admin/templates.ts';
import {
  createVerificationWhitelist,
  deleteVerificationWhitelist,
  listVerificationWhitelists,
} from '../../functions/verification/service/admin/whitelists.ts';
import { getBlockId, recordBlock } from '../../functions/verification/service/block-records.ts';
import { deriveLinkToken } from '../../functions/verification/service/secrets.ts';
import { unwrap } from '../support/company.ts';
import type { Example } from './examples.ts';
import type { ContractFixture } from './fixture.ts';

let phones = 0;
const newPhone = (): string => `+4915121${String(++phones).padStart(6, '0')}`;

/** A profile of the first company, and a key of its own for every request: 30 calls a minute are counted by key. */
const profiles = new WeakMap<ContractFixture, Promise<string>>();
const publicKey = async (stage: ContractFixture): Promise<string> => {
  const { id } = stage.company;
  const prepared = await requestingProfile(stage);
  return unwrap(await issueKey(id, prepared, {})).public_key;
};

/** A profile starts ten at most: more of one prefix, none of them proven, would look like pumping. */
const prepared = new WeakMap<ContractFixture, { profile: Promise<string>; left: number }>();
const requestingProfile = (stage: ContractFixture): Promise<string> => {
  let current = prepared.get(stage);
  if (!current || current.left-- === 0) prepared.set(stage, (current = { profile: newProfile(stage.company.id), left: 9 }));
  return current.profile;
};
async function newProfile(companyId: number): Promise<string> {
  const settings_json = { velocity: { max_identifiers: 1_000 } };
  return unwrap(await createProfile(companyId, { name: 'Sign-in', settings_json })).id;
}

export const keyed = async (stage: ContractFixture): Promise<{ headers: Record<string, string> }> => ({
  headers: { 'x-public-key': await publicKey(stage) },
});

/** A pending verification of a customer no one has requested yet. */
async function pending(
  stage: ContractFixture,
  { headers }: { headers: Record<string, string> },
  more: Record<string, unknown> = {},
): Promise<string> {
  const body = { identifier: newPhone(), ...more };
  const answer = await stage.testApp.call({ method: 'POST', path: '/api/v1/verification/request', headers, body });
  return (answer.body as { request_id: string }).request_id;
}
/** Ten pages a minute are counted by address: the link comes when the minute is over. */
const linkOf = async (stage: ContractFixture): Promise<Example> => {
  stage.testApp.clock.advance(6_000);
  const request_id = await pending(stage, await keyed(stage));
  return { params: { request_id, token: await deriveLinkToken(stage.company.id, request_id) } };
};

export const verificationExamples: Readonly<Record<string, (stage: ContractFixture) => Example | Promise<Example>>> = {
  getVerificationConfig: (stage) => keyed(stage),
  requestVerification: async (stage) => ({ ...(await keyed(stage)), body: { identifier: newPhone(), purpose: 'login' } }),
  verifyCode: async (stage) => {
    const key = await keyed(stage);
    return { ...key, body: { request_id: await pending(stage, key), code: '000000' } };
  },
  getVerificationStatus: async (stage) => {
    const key = await keyed(stage);
    return { ...key, params: { request_id: await pending(stage, key) } };
  },
  resendCode: async (stage) => {
    const key = await keyed(stage);
    return { ...key, body: { request_id: await pending(stage, key, { silent: true }) } };
  },
  openMagicLink: linkOf,
  confirmMagicLink: linkOf,

  listVerificationProfiles: () => ({}),
  createVerificationProfile: () => ({ body: { name: 'Checkout', settings_json: { otp: { length: 8 } } } }),
  getVerificationProfile: async (stage) => ({ params: { profile_id: await profileOf(stage) } }),
  updateVerificationProfile: async (stage) => ({
    params: { profile_id: await newProfile(stage.company.id) },
    body: { settings_json: { otp: { resend_cooldown_seconds: 20 } } },
  }),
  revokeTrust: async (stage) => ({ params: { profile_id: await profileOf(stage) }, body: { identifier: newPhone() } }),
  listVerificationKeys: async (stage) => ({ params: { profile_id: await profileOf(stage) } }),
  createVerificationKey: async (stage) => ({ params: { profile_id: await profileOf(stage) }, body: { name: 'web', mode: 'test' } }),
  rotateVerificationKey: async (stage) => ({ params: { id: await keyId(stage) }, body: { overlap_hours: 1 } }),
  deactivateVerificationKey: async (stage) => ({ params: { id: await keyId(stage) } }),
  listVerificationTemplates: () => ({}),
  createVerificationTemplate: async (stage) => ({ body: await newTemplate(stage) }),
  updateVerificationTemplate: async (stage) => ({ params: { id: await templateId(stage) }, body: { body: 'Your code: {{code}}' } }),
  deleteVerificationTemplate: async (stage) => ({ params: { id: await templateId(stage) } }),
  listVerificationWhitelists: async (stage) => ({ query: { profile_id: await profileOf(stage) } }),
  createVerificationWhitelist: async (stage) => {
    await clearWhitelist(stage);
    return { body: { profile_id: await profileOf(stage), kind: 'ip', value: '198.51.100.0/24' } };
  },
  deleteVerificationWhitelist: async (stage) => ({ params: { id: await whitelistId(stage) } }),
  listVerificationRequests: async (stage) => {
    await pending(stage, await keyed(stage));
    return { query: { limit: 3 } };
  },
  getVerificationReport: () => ({ query: {} }),
  listVerificationBlocks: () => ({ query: { limit: 2 } }),
  deleteVerificationBlock: async (stage) => ({ params: { id: await blockId(stage) } }),
};

const profileOf = async (stage: ContractFixture): Promise<string> => {
  const made = profiles.get(stage) ?? newProfile(stage.company.id);
  profiles.set(stage, made);
  return made;
};
const keyId = async (stage: ContractFixture): Promise<string> =>
  unwrap(await issueKey(stage.company.id, await profileOf(stage), {})).key.id;

let purposes = 0;
/** A company has 100 templates at most, and these tests make more: each example begins with none. */
async function newTemplate({ company }: ContractFixture, profile_id?: string) {
  for (const { id } of await listVerificationTemplates(company.id, undefined)) await deleteVerificationTemplate(company.id, id);
  const of = profile_id ?? unwrap(await createProfile(company.id, { name: 'Words' })).id;
  return { profile_id: of, channel: 'email' as const, purpose: `purpose-${++purposes}`, body: '{{code}} is your code.', subject: 'Code' };
}
const templateId = async (stage: ContractFixture): Promise<string> =>
  unwrap(await createVerificationTemplate(stage.company.id, await newTemplate(stage, await profileOf(stage)))).id;

async function clearWhitelist({ company }: ContractFixture): Promise<void> {
  for (const { id } of await listVerificationWhitelists(company.id, undefined)) await deleteVerificationWhitelist(company.id, id);
}
const whitelistId = async (stage: ContractFixture): Promise<string> => {
  await clearWhitelist(stage);
  return unwrap(
    await createVerificationWhitelist(stage.company.id, { profile_id: await profileOf(stage), kind: 'domain', value: 'example.org' }),
  ).id;
};
const blockId = async (stage: ContractFixture): Promise<string> => {
  const block = { subjectKind: 'ip' as const, subject: newPhone(), shown: '192.0.2.1', reason: 'velocity_limit' };
  const profile = { companyId: stage.company.id, id: await profileOf(stage) };
  const at = stage.testApp.clock.now();
  await recordBlock(profile, { ...block, blockedUntil: at + 3_600_000 }, at);
  return getBlockId(profile.id, block);
};
