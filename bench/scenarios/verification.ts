import * as z from 'zod';
import { statusPost } from '../../test/support/company.ts';
import type { Metered } from '../../test/support/sdk-hooks.ts';
import { type Caller, type Fixture, startFixture, wrongFor } from '../../test/verification/fixture.ts';
import type { Figure, Scenario } from '../scenario.ts';

const requested = z.object({ request_id: z.string() });

/**
 * What "the credential check" means here: the key and, for an address of which the process holds no lease, the address, each one
 * conditional write beside the other. A lease lasts two calls at first and up to 20 later.
 */
const [keyWrites, leaseWrites] = [1, 1];

export const scenario: Scenario = {
  name: 'verification',
  description:
    'POST /request, /verify and GET /status with a public key, all guards on; units beyond the credential check (key, 1 WRU, and a lease of the address, 1 WRU for up to 20 calls)',
  deterministic: true,
  measure: async () => {
    await using fixture = await startFixture();
    // a lease, and what a process remembers, ends at a time: on a slow machine that would come between two of the calls
    fixture.testApp.clock.freeze();
    const caller = await fixture.newCaller();
    const request = async (identifier: string, ip = fixture.newAddress()): Promise<string> => {
      const answer = await caller.post('/request', { identifier }, { ip });
      if (answer.status !== 200) throw new Error(`The measured request was answered ${answer.status} ${answer.raw}`);
      return requested.parse(answer.body).request_id;
    };
    // a process reads the number for one-click once a minute, the profile and its rate of wrong codes each ten seconds, and reserves codes
    const cold = await fixture.testApp.meter(() => request(fixture.newPhone()));
    const [phone, address] = [fixture.newPhone(), fixture.newAddress()];
    const warmUp = () => request(fixture.newPhone());
    await warmUp();
    const fresh = await fixture.testApp.meterRounds(() => request(phone, address));
    await warmUp();
    const again = await fixture.testApp.meter(() => request(phone));
    const request_id = await request(phone);
    const code = await fixture.codeFor(phone);
    const tryCode = (given: string, id = request_id) =>
      fixture.testApp.meter(() => caller.post('/verify', { request_id: id, code: given }, { ip: fixture.newAddress() }));
    const status = await fixture.testApp.meter(() => caller.get(`/status/${request_id}`, { ip: fixture.newAddress() }));
    const wrong = await tryCode(wrongFor(code));
    const unknown = await tryCode(wrongFor(code), '2f5f9d1e-5a3c-4d58-9c7a-0d8f1f8f2c11');
    // from the address of the first call, whose lease lasts for this one
    const right = await fixture.testApp.meterRounds(() => caller.post('/verify', { request_id, code }, { ip: address }));
    await warmUp();
    const known = await fixture.testApp.meter(() => request(phone));
    await fixture.testApp.drain();
    const byWhatsApp = await verified(fixture, caller, fixture.newPhone());
    const byEmail = await verified(fixture, caller, 'ada@customer.example');
    return [
      ...units('request', fresh, 4, 1),
      { name: 'request, sequential rounds', unit: 'rounds', value: fresh.rounds, atMost: 3 },
      { name: 'verify, right, sequential rounds', unit: 'rounds', value: right.rounds, atMost: 2 },
      { name: 'request and right verify, table calls', unit: 'calls', value: fresh.calls + right.calls, atMost: 9 },
      { name: 'request, first one of a process, reads', unit: 'RRU', value: cold.rru, atMost: 2.5 },
      ...units('request again while pending', again, 4, 1),
      ...units('request of a person verified before', known, 4, 1),
      { name: 'calls for a person known less those for an unknown one', unit: 'calls', value: known.calls - fresh.calls, atMost: 0 },
      ...units('verify, right', right, 2, 0.5, keyWrites),
      ...units('verify, wrong', wrong, 2, 0.5),
      { name: 'calls for an unknown id less those for a wrong code', unit: 'calls', value: unknown.calls - wrong.calls, atMost: 0 },
      { name: 'units for an unknown id less those for a wrong code', unit: 'WRU', value: unknown.wru - wrong.wru, atMost: 0 },
      ...units('status poll', status, 1, 1),
      ...wholeUnits('a code by WhatsApp, asked for, sent, three statuses and verified', byWhatsApp, 17, 13),
      ...wholeUnits('a code by email, asked for, sent and verified', byEmail, 12, 9),
    ];
  },
};

/** One customer from the request to the right answer, with all that follows from it: workers, change stream, the provider's statuses. */
async function verified({ testApp, provider, codeFor }: Fixture, { company, post }: Caller, identifier: string): Promise<Metered> {
  const isRequested = { at: '' };
  const before = await testApp.meter(async () => {
    isRequested.at = requested.parse((await post('/request', { identifier })).body).request_id;
    await testApp.drain();
  });
  const code = await codeFor(identifier);
  const reference = provider.requests.findLast(({ body }) => body['to'] === identifier)?.body['biz_opaque_callback_data'];
  const after = await testApp.meter(async () => {
    for (const status of reference === undefined ? [] : ['sent', 'delivered', 'read'])
      await testApp.call(statusPost(company, { id: 'wamid.bench', status, biz_opaque_callback_data: String(reference) }));
    await testApp.drain();
    await post('/verify', { request_id: isRequested.at, code });
    await testApp.drain();
  });
  return { ...before, wru: before.wru + after.wru, rru: before.rru + after.rru, calls: before.calls + after.calls };
}

const wholeUnits = (name: string, { wru, rru }: Metered, mostWrites: number, mostReads: number): Figure[] => [
  { name: `${name}, writes`, unit: 'WRU', value: wru, atMost: mostWrites },
  { name: `${name}, reads`, unit: 'RRU', value: rru, atMost: mostReads },
];

const units = (
  name: string,
  { wru, rru }: Metered,
  mostWrites: number,
  mostReads: number,
  accessWrites = keyWrites + leaseWrites,
): Figure[] => [
  { name: `${name}, writes`, unit: 'WRU', value: wru - accessWrites, atMost: mostWrites },
  { name: `${name}, reads`, unit: 'RRU', value: rru, atMost: mostReads },
];
