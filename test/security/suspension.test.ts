import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addNumber } from '../../functions/account/service/numbers.ts';
import { createProfile, issueKey } from '../../functions/account/service/verification-profiles.ts';
import { resumeCompany, suspendCompany } from '../../functions/administration/service/suspension.ts';
import { type CampaignFixture, startFixture } from '../campaigns/fixture.ts';
import { attack } from '../support/attack.ts';
import { type TestCompany, unwrap } from '../support/company.ts';
import { isFullSize, runSize } from '../support/run-size.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { mendedBy } from '../support/mutation.ts';

let fixture: CampaignFixture;
beforeAll(async () => {
  fixture = await startFixture({
    env: { SWITCHBOARD_LOCAL: '1', WEBHOOK_TIMEOUT_MS: '2000', EMAIL_FROM: 'no-reply@example.com' },
  });
});
afterAll(() => fixture.stop());

const acceptedFor = async (to?: readonly string[]): Promise<{ to: string; at: number }[]> => {
  const wanted = to && new Set(to);
  return (await fixture.ledger()).flatMap((entry) =>
    wanted && !wanted.has(entry.to) ? [] : [{ to: entry.to, at: Date.parse(String(entry['at'])) }],
  );
};

const listen = async (company: TestCompany, url: string, events: string[]): Promise<void> => {
  const answer = await fixture.testApp.call({
    method: 'POST',
    path: '/api/v1/webhooks',
    token: company.tokens.owner,
    body: { url, events },
  });
  if (answer.status !== 200) throw new Error(answer.raw);
};

/** The checks of the company in the items that workers read or write; each stops a part of its work. */
const gates = [
  { in: 'functions/messaging/store/pace.ts', replace: "atMost('next', until), missing('isSuspended')", by: "atMost('next', until)" },
  {
    in: 'functions/messaging/store/pace.ts',
    replace: "all(below('next', at), missing('isSuspended'), ...affords(spend))",
    by: "below('next', at)",
  },
  { in: 'functions/campaigns/service/send-batch.ts', replace: "if (number.isSuspended) return 'company_suspended';", by: '' },
  { in: 'functions/messaging/service/scheduled-messages.ts', replace: 'if (number.isSuspended) return;', by: '' },
] as const;

const codeTemplate = {
  name: 'verification_code',
  language: 'en',
  category: 'AUTHENTICATION',
  components: [
    { type: 'BODY', text: '*{{1}}* is your verification code.', example: { body_text: [['123456']] } },
    {
      type: 'BUTTONS',
      buttons: [{ type: 'URL', otp_type: 'COPY_CODE', text: 'Copy code', url: 'https://www.whatsapp.com/otp/code/?code=otp{{1}}' }],
    },
  ],
};

describe('a company that is suspended', () => {
  test('stops the number too that was added a moment before', async () => {
    const company = await fixture.campaigner();
    using _late = await fixture.testApp.readLate(1, 1);
    const added = unwrap(
      await addNumber(company.id, {
        phone: String(4_930_000_000 + company.id),
        phone_number_id: `9${company.id}`,
        waba_id: company.number.wabaId,
        access_token: 'token',
      }),
    );
    unwrap(await suspendCompany(company.id));
    const paces = await fixture.testApp.dump({ kind: 'pace', companyId: company.id });
    expect(paces.map(({ numberId, isSuspended }) => [numberId, isSuspended])).toEqual([1, added.number.id].map((id) => [id, true]));
  });

  const recipients = runSize(120, 20_000);

  attack(
    `amid a campaign of ${recipients} sends nothing more, nor what falls due; resumed, each recipient has one outcome`,
    [
      gates,
      { in: 'functions/webhooks/store/endpoint.ts', replace: "missing('isSuspended'),", by: '' },
      {
        in: 'functions/due-work/service.ts',
        replace: 'await placeAgain(tick, replay, { fromMs, toMs: window.toMs });',
        by: '',
      },
    ],
    async () => {
      await using receiver = await startReceiver();
      const { testApp } = fixture;
      const company = await fixture.campaigner(isFullSize() ? 1_000 : 80);
      const people = (await fixture.people(company, recipients)).map(({ phone }) => phone);
      await listen(company, receiver.url, ['campaign.paused']);
      const [later = ''] = people;
      const scheduled = await testApp.call({
        method: 'POST',
        path: '/api/v1/messages/text',
        token: company.tokens.member,
        body: { phone: later, message: 'Later', scheduled_at: new Date(testApp.clock.now() + 60_000).toISOString() },
      });
      expect(scheduled.status, scheduled.raw).toBe(200);
      const id = await fixture.create(company, {
        name: 'Stopped',
        template_id: fixture.templateId(company, 'plain'),
        audience_type: 'all',
        send_now: true,
      });

      let isDrained = false;
      const draining = testApp.drain().then(() => {
        isDrained = true;
      });
      await expect
        .poll(async () => isDrained || (await acceptedFor(people)).length > recipients / 4, {
          interval: isFullSize() ? 500 : 20,
          timeout: isFullSize() ? 1_500_000 : 60_000,
        })
        .toBe(true);
      unwrap(await suspendCompany(company.id));
      const suspendedAt = testApp.clock.now();
      await draining;

      const sent = await acceptedFor(people);
      expect(sent.length).toBeLessThan(recipients);
      expect(Math.max(...sent.map(({ at }) => at)) - suspendedAt).toBeLessThan(2_000);
      await testApp.passTime(180);
      expect(await acceptedFor(people)).toHaveLength(sent.length);
      expect(receiver.received).toEqual([]);
      expect((await testApp.dump({ kind: 'campaign', companyId: company.id }))[0]).toMatchObject({
        status: 'paused',
        pauseReason: 'company_suspended',
      });

      unwrap(await resumeCompany(company.id));
      await testApp.passTime(180);
      const all = await acceptedFor(people);
      expect(all.map(({ to }) => to).toSorted()).toEqual([...people, later].toSorted());
      const { rows } = await fixture.counted(company, id);
      expect(new Set(rows.map(({ contactId }) => contactId)).size).toBe(rows.length);
      expect(rows).toHaveLength(recipients);
      expect(receiver.received.map(({ event }) => event)).toEqual(['campaign.paused']);
    },
    isFullSize() ? 3_000_000 : 60_000,
  );

  mendedBy(
    'loses nothing of a first suspension when it is suspended again before its work is through',
    {
      in: 'functions/administration/service/suspension.ts',
      replace: 'await placeDueWorkAgain(companyId, 0);',
      by: 'await placeDueWorkAgain(companyId, company.suspendedAt);',
    },
    async () => {
      const company = await fixture.campaigner();
      const [recipient] = await fixture.people(company, 1);
      const answer = await fixture.testApp.call({
        method: 'POST',
        path: '/api/v1/messages/text',
        token: company.tokens.member,
        body: {
          phone: recipient?.phone,
          message: 'Later',
          scheduled_at: new Date(fixture.testApp.clock.now() + 600_000).toISOString(),
        },
      });
      expect(answer.status, answer.raw).toBe(200);
      unwrap(await suspendCompany(company.id));
      await fixture.testApp.passTime(700);
      fixture.testApp.clock.advance(3 * 86_400_000);
      unwrap(await resumeCompany(company.id));
      await fixture.testApp.tick();
      // before the workers have it
      unwrap(await suspendCompany(company.id));
      await fixture.testApp.drain();
      unwrap(await resumeCompany(company.id));
      await fixture.testApp.passTime(180);
      expect(await acceptedFor([recipient?.phone ?? ''])).toHaveLength(1);
    },
  );

  attack(
    'gets no verification code sent, by WhatsApp or by email',
    [
      {
        in: 'functions/verification/service/send-code.ts',
        replace: "if (profile?.companyStatus === 'suspended') return 'refused';",
        by: '',
      },
      [{ in: 'functions/verification/service/send-code.ts', replace: '!number || number.isSuspended', by: '!number' }, gates[1], gates[0]],
    ],
    async () => {
      const company = await fixture.campaigner();
      await fixture.templates(company, [codeTemplate]);
      const profile = unwrap(await createProfile(company.id, { name: 'Sign-in', settings_json: {} }));
      const { public_key } = unwrap(await issueKey(company.id, profile.id, {}));
      const phone = `+49158${String(company.id).padStart(8, '0')}`;
      const requestCodes = async (...identifiers: string[]): Promise<void> => {
        for (const identifier of identifiers) {
          const answer = await fixture.testApp.call({
            method: 'POST',
            path: '/api/v1/verification/request',
            headers: { 'x-public-key': public_key },
            body: { identifier },
          });
          expect(answer.status, answer.raw).toBe(200);
        }
      };
      const earlier = phone.replace('+49158', '+49159');
      await requestCodes(earlier, 'earlier@example.com');
      await fixture.testApp.drain();
      expect(await fixture.ledger(earlier.slice(1))).toHaveLength(1);
      expect(JSON.stringify(fixture.testApp.emails)).toContain('earlier@example.com');
      await requestCodes(phone, 'suspended@example.com');
      unwrap(await suspendCompany(company.id));
      await fixture.testApp.drain();
      expect(await fixture.ledger(phone.slice(1))).toEqual([]);
      expect(JSON.stringify(fixture.testApp.emails)).not.toContain('suspended@example.com');
    },
  );
});
