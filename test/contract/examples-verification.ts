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
const publicKey = async (fixture: ContractFixture): Promise<string> => {
  const { id } = fixture.company;
  const prepared = await requestingProfile(fixture);
  return unwrap(await issueKey(id, prepared, {})).public_key;
};

/** A profile starts ten at most: more of one prefix, none of them proven, would look like pumping. */
const prepared = new WeakMap<ContractFixture, { profile: Promise<string>; left: number }>();
const requestingProfile = (fixture: ContractFixture): Promise<string> => {
  let current = prepared.get(fixture);
  if (!current || current.left-- === 0) prepared.set(fixture, (current = { profile: newProfile(fixture.company.id), left: 9 }));
  return current.profile;
};
async function newProfile(companyId: number): Promise<string> {
  const settings_json = { velocity: { max_identifiers: 1_000 } };
  return unwrap(await createProfile(companyId, { name: 'Sign-in', settings_json })).id;
}

export const keyed = async (fixture: ContractFixture): Promise<{ headers: Record<string, string> }> => ({
  headers: { 'x-public-key': await publicKey(fixture) },
});

/** A pending verification of a customer no one has requested yet. */
async function pending(
  fixture: ContractFixture,
  { headers }: { headers: Record<string, string> },
  more: Record<string, unknown> = {},
): Promise<string> {
  const body = { identifier: newPhone(), ...more };
  const answer = await fixture.testApp.call({ method: 'POST', path: '/api/v1/verification/request', headers, body });
  return (answer.body as { request_id: string }).request_id;
}
/** Ten pages a minute are counted by address: the link comes when the minute is over. */
const linkOf = async (fixture: ContractFixture): Promise<Example> => {
  fixture.testApp.clock.advance(6_000);
  const request_id = await pending(fixture, await keyed(fixture));
  return { params: { request_id, token: await deriveLinkToken(fixture.company.id, request_id) } };
};

export const verificationExamples: Readonly<Record<string, (fixture: ContractFixture) => Example | Promise<Example>>> = {
  getVerificationConfig: (fixture) => keyed(fixture),
  requestVerification: async (fixture) => ({ ...(await keyed(fixture)), body: { identifier: newPhone(), purpose: 'login' } }),
  verifyCode: async (fixture) => {
    const key = await keyed(fixture);
    return { ...key, body: { request_id: await pending(fixture, key), code: '000000' } };
  },
  getVerificationStatus: async (fixture) => {
    const key = await keyed(fixture);
    return { ...key, params: { request_id: await pending(fixture, key) } };
  },
  resendCode: async (fixture) => {
    const key = await keyed(fixture);
    return { ...key, body: { request_id: await pending(fixture, key, { silent: true }) } };
  },
  openMagicLink: linkOf,
  confirmMagicLink: linkOf,

  listVerificationProfiles: () => ({}),
  createVerificationProfile: () => ({ body: { name: 'Checkout', settings_json: { otp: { length: 8 } } } }),
  getVerificationProfile: async (fixture) => ({ params: { profile_id: await profileOf(fixture) } }),
  updateVerificationProfile: async (fixture) => ({
    params: { profile_id: await newProfile(fixture.company.id) },
    body: { settings_json: { otp: { resend_cooldown_seconds: 20 } } },
  }),
  revokeTrust: async (fixture) => ({ params: { profile_id: await profileOf(fixture) }, body: { identifier: newPhone() } }),
  listVerificationKeys: async (fixture) => ({ params: { profile_id: await profileOf(fixture) } }),
  createVerificationKey: async (fixture) => ({ params: { profile_id: await profileOf(fixture) }, body: { name: 'web', mode: 'test' } }),
  rotateVerificationKey: async (fixture) => ({ params: { id: await keyId(fixture) }, body: { overlap_hours: 1 } }),
  deactivateVerificationKey: async (fixture) => ({ params: { id: await keyId(fixture) } }),
  listVerificationTemplates: () => ({}),
  createVerificationTemplate: async (fixture) => ({ body: await newTemplate(fixture) }),
  updateVerificationTemplate: async (fixture) => ({ params: { id: await templateId(fixture) }, body: { body: 'Your code: {{code}}' } }),
  deleteVerificationTemplate: async (fixture) => ({ params: { id: await templateId(fixture) } }),
  listVerificationWhitelists: async (fixture) => ({ query: { profile_id: await profileOf(fixture) } }),
  createVerificationWhitelist: async (fixture) => {
    await clearWhitelist(fixture);
    return { body: { profile_id: await profileOf(fixture), kind: 'ip', value: '198.51.100.0/24' } };
  },
  deleteVerificationWhitelist: async (fixture) => ({ params: { id: await whitelistId(fixture) } }),
  listVerificationRequests: async (fixture) => {
    await pending(fixture, await keyed(fixture));
    return { query: { limit: 3 } };
  },
  getVerificationReport: () => ({ query: {} }),
  listVerificationBlocks: () => ({ query: { limit: 2 } }),
  deleteVerificationBlock: async (fixture) => ({ params: { id: await blockId(fixture) } }),
};

const profileOf = async (fixture: ContractFixture): Promise<string> => {
  const made = profiles.get(fixture) ?? newProfile(fixture.company.id);
  profiles.set(fixture, made);
  return made;
};
const keyId = async (fixture: ContractFixture): Promise<string> =>
  unwrap(await issueKey(fixture.company.id, await profileOf(fixture), {})).key.id;

let purposes = 0;
/** A company has 100 templates at most, and these tests make more: each example begins with none. */
async function newTemplate({ company }: ContractFixture, profile_id?: string) {
  for (const { id } of await listVerificationTemplates(company.id, undefined)) await deleteVerificationTemplate(company.id, id);
  const of = profile_id ?? unwrap(await createProfile(company.id, { name: 'Words' })).id;
  return { profile_id: of, channel: 'email' as const, purpose: `purpose-${++purposes}`, body: '{{code}} is your code.', subject: 'Code' };
}
const templateId = async (fixture: ContractFixture): Promise<string> =>
  unwrap(await createVerificationTemplate(fixture.company.id, await newTemplate(fixture, await profileOf(fixture)))).id;

async function clearWhitelist({ company }: ContractFixture): Promise<void> {
  for (const { id } of await listVerificationWhitelists(company.id, undefined)) await deleteVerificationWhitelist(company.id, id);
}
const whitelistId = async (fixture: ContractFixture): Promise<string> => {
  await clearWhitelist(fixture);
  return unwrap(
    await createVerificationWhitelist(fixture.company.id, { profile_id: await profileOf(fixture), kind: 'domain', value: 'example.org' }),
  ).id;
};
const blockId = async (fixture: ContractFixture): Promise<string> => {
  const block = { subjectKind: 'ip' as const, subject: newPhone(), shown: '192.0.2.1', reason: 'velocity_limit' };
  const profile = { companyId: fixture.company.id, id: await profileOf(fixture) };
  const at = fixture.testApp.clock.now();
  await recordBlock(profile, { ...block, blockedUntil: at + 3_600_000 }, at);
  return getBlockId(profile.id, block);
};
