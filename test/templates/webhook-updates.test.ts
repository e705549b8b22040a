import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyTemplateWebhook } from '../../functions/templates/service/apply-update.ts';
import { getTemplateRow } from '../../functions/templates/store/template.ts';
import { providerPost, type TestCompany } from '../support/company.ts';
import { seeded, shuffled } from '../support/random.ts';
import { countsOf, startTemplateFixture, templateOf, type TemplateFixture } from './fixture.ts';
import { runSize } from '../support/run-size.ts';

let fixture: TemplateFixture;
beforeAll(async () => {
  fixture = await startTemplateFixture();
});
afterAll(() => fixture.stop());

const components = [
  { type: 'HEADER', format: 'TEXT', text: 'Hello {{1}}', example: { header_text: ['Ada'] } },
  { type: 'BODY', text: 'Order {{1}} has shipped.', example: { body_text: [['A-1']] } },
  { type: 'FOOTER', text: 'Bye' },
];
const shipped = { name: 'shipped', language: 'en_US', category: 'UTILITY', components };

/** A company with one approved template, and an update of it one second after its sync. */
const synced = async () => {
  const company = await fixture.company();
  const [{ id } = { id: '' }] = await fixture.atProvider(company, [shipped]);
  await fixture.api(company, 'POST', '/sync');
  const base = Math.floor(Date.now() / 1_000);
  const about = { message_template_id: Number(id), message_template_name: 'shipped', message_template_language: 'en-US' };
  const postUpdate = (field: string, value: Record<string, unknown>, second: number): Promise<boolean> =>
    applyTemplateWebhook(company.id, field, { ...about, ...value }, Date.now() + 86_400_000, { occurredAt: (base + second) * 1_000 });
  return {
    company,
    id,
    postUpdate,
    moved: (event: string, second: number, more: Record<string, unknown> = {}) =>
      postUpdate('message_template_status_update', { event, reason: 'NONE', ...more }, second),
    shown: async () => templateOf(await fixture.api(company, 'GET', '/1')),
  };
};

const post = (company: TestCompany, field: string, value: unknown, time: number): Promise<{ status: number }> =>
  fixture.testApp.call(
    providerPost(company, {
      object: 'whatsapp_business_account',
      entry: [{ id: company.number.wabaId, time, changes: [{ field, value }] }],
    }),
  );

describe('status', () => {
  test.each([
    ['PAUSED', 'PAUSED'],
    ['DISABLED', 'DISABLED'],
    ['PENDING_DELETION', 'PENDING_DELETION'],
    ['DELETED', 'DELETED'],
    ['ARCHIVED', 'ARCHIVED'],
    ['REINSTATED', 'APPROVED'],
    ['UNARCHIVED', 'APPROVED'],
    ['FLAGGED', 'APPROVED'],
    ['LOCKED', 'APPROVED'],
    ['RESTING', 'RESTING'],
  ])('after the event %s is %s', async (event, status) => {
    const { moved, shown } = await synced();
    await moved(event, 5);
    expect((await shown()).status).toBe(status);
  });

  test('ends the same for every order and repetition of the webhooks', async () => {
    const events = [
      ['PAUSED', 10],
      ['APPROVED', 20],
      ['DISABLED', 30],
      ['REINSTATED', 40],
      ['PAUSED', 50],
    ] as const;
    for (let seed = 1; seed <= runSize(3, 50); seed++) {
      const { moved, shown } = await synced();
      for (const [event, second] of shuffled([...events, ...events], seeded(seed))) await moved(event, second);
      expect((await shown()).status, `seed ${seed}`).toBe('PAUSED');
    }
  });

  test('changes nothing when it is posted again', async () => {
    const { moved } = await synced();
    await moved('PAUSED', 10);
    const again = await fixture.testApp.meter(() => moved('PAUSED', 10));
    expect([again.wru, again.rru]).toEqual([0, 2.5]);
  });

  test('of before the last sync never counts, also where the sync changed nothing', async () => {
    const { company, moved, shown } = await synced();
    fixture.testApp.clock.advance(100_000);
    expect(countsOf(await fixture.api(company, 'POST', '/sync'))).toEqual([1, 0, 0, 0]);
    await moved('PAUSED', 50);
    expect((await shown()).status).toBe('APPROVED');
    await moved('PAUSED', 150);
    expect((await shown()).status).toBe('PAUSED');
  });

  test('of before the sync of one template never counts', async () => {
    const { company, moved, shown } = await synced();
    fixture.testApp.clock.advance(100_000);
    await fixture.api(company, 'POST', '/1/sync');
    await moved('PAUSED', 50);
    expect((await shown()).status).toBe('APPROVED');
  });

  test('that came while the provider was read is not undone by the sync', async () => {
    const { company, moved, shown } = await synced();
    fixture.line(() => ({ hold: () => moved('PAUSED', 1_000) }));
    await fixture.api(company, 'POST', '/sync');
    fixture.line();
    expect((await shown()).status).toBe('PAUSED');
  });

  test('carries the reason of a rejection and what to do about it, until it is approved', async () => {
    const { moved, shown } = await synced();
    const info = { reason: 'Two parameters are adjacent.', recommendation: 'Separate them.' };
    await moved('REJECTED', 10, { reason: 'INVALID_FORMAT', rejection_info: info });
    expect(await shown()).toMatchObject({ status: 'REJECTED', rejected_reason: 'INVALID_FORMAT', rejection_info: info });
    await moved('APPROVED', 20, { reason: null });
    expect(await shown()).toMatchObject({ status: 'APPROVED', rejected_reason: null, rejection_info: null });
  });

  test('about another template that had the name is left alone', async () => {
    const { moved, shown } = await synced();
    await moved('DELETED', 10, { message_template_id: 123 });
    expect((await shown()).status).toBe('APPROVED');
  });
});

describe('a template that is not listed yet', () => {
  const about = { message_template_id: 77, message_template_name: 'new_one', message_template_language: 'en' };

  test('is in no list, and takes the stored updates when the sync reads it', async () => {
    const company = await fixture.company();
    await fixture.atProvider(company, [{ ...shipped, name: 'new_one', language: 'en', status: 'PENDING', id: '77' }]);
    const later = Math.floor(Date.now() / 1_000) + 3_600;
    const value = { ...about, event: 'APPROVED', reason: 'NONE' };
    await applyTemplateWebhook(company.id, 'message_template_status_update', value, later * 1_000, { occurredAt: later * 1_000 });
    expect((await fixture.api(company, 'GET', '?status=all')).body).toMatchObject({ data: [] });
    expect(countsOf(await fixture.api(company, 'POST', '/sync'))).toEqual([1, 1, 0, 0]);
    expect(templateOf(await fixture.api(company, 'GET', '/1'))).toMatchObject({ status: 'APPROVED', components: [{}, {}, {}] });
  });

  test('that was deleted here is not brought back by a sync which read it before', async () => {
    const { company } = await synced();
    fixture.line((call) => (call.method === 'GET' ? { hold: () => fixture.api(company, 'DELETE', '/1') } : 'pass'));
    fixture.testApp.clock.advance(2_000);
    await fixture.api(company, 'POST', '/sync');
    fixture.line();
    expect((await fixture.api(company, 'GET', '?status=all')).body).toMatchObject({ data: [] });
    expect(await getTemplateRow(company.id, 'shipped', 'en_US')).toMatchObject({ id: 0, status: 'DELETED' });
  });
});

describe('news of the provider', () => {
  const updates = (company: TestCompany) =>
    fixture.testApp.events
      .filter(({ name, detail }) => name === 'template.updated' && detail['company_id'] === company.id)
      .map(({ detail }) => detail['data']);

  test('of a date of disabling are shown and published, until the template is reinstated', async () => {
    const { company, moved, shown } = await synced();
    await moved('FLAGGED', 10, { disable_info: { disable_date: 'January 31, 2031' } });
    expect(await shown()).toMatchObject({ status: 'APPROVED', disable_date: '2031-01-31T00:00:00.000000Z' });
    // sent again, with the date as seconds
    await moved('FLAGGED', 20, { disable_info: { disable_date: 1_927_584_000 } });
    await fixture.api(company, 'POST', '/sync');
    expect(await shown()).toMatchObject({ disable_date: '2031-01-31T00:00:00.000000Z' });
    await moved('REINSTATED', 30);
    await moved('FLAGGED', 15, { disable_info: { disable_date: 'March 1, 2031' } });
    expect(await shown()).toMatchObject({ status: 'APPROVED', disable_date: null });
    await fixture.testApp.drain();
    expect(updates(company)).toMatchObject([
      { disable_date: '2031-01-31T00:00:00.000000Z', waba_id: company.number.wabaId },
      { disable_date: null },
    ]);
  });

  test('of a dearer category are published when they are announced and when they count', async () => {
    const { company, postUpdate, shown } = await synced();
    const at = Math.floor(Date.now() / 1_000) + 86_400;
    await postUpdate(
      'template_category_update',
      { new_category: 'UTILITY', correct_category: 'MARKETING', category_update_timestamp: at },
      10,
    );
    await postUpdate('template_category_update', { previous_category: 'UTILITY', new_category: 'MARKETING' }, 20);
    await postUpdate('template_category_update', { previous_category: 'UTILITY', new_category: 'MARKETING' }, 20);
    expect(await shown()).toMatchObject({ category: 'MARKETING', upcoming_category: null });
    await fixture.testApp.drain();
    expect(updates(company)).toMatchObject([
      { category: 'UTILITY', previous_category: 'UTILITY', upcoming_category: { category: 'MARKETING' } },
      { category: 'MARKETING', previous_category: 'UTILITY', upcoming_category: null },
    ]);
  });

  test('say nothing of a creation, a sync without news, or a change of status', async () => {
    const { company, moved } = await synced();
    await fixture.create(company, {
      name: 'fresh_one',
      language: 'en',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hello.' }],
    });
    await fixture.api(company, 'POST', '/sync');
    await moved('PAUSED', 10);
    await fixture.testApp.drain();
    expect(updates(company)).toEqual([]);
  });
});

describe('the other webhooks', () => {
  test('set the quality', async () => {
    const { postUpdate, shown } = await synced();
    await postUpdate('message_template_quality_update', { previous_quality_score: 'GREEN', new_quality_score: 'RED' }, 20);
    await postUpdate('message_template_quality_update', { previous_quality_score: 'GREEN', new_quality_score: 'YELLOW' }, 10);
    expect((await shown()).quality_score).toBe('RED');
  });

  test('announce another category, then bring it', async () => {
    const { postUpdate, shown } = await synced();
    const coming = { new_category: 'UTILITY', correct_category: 'MARKETING', category_update_timestamp: 1_746_169_200 };
    await postUpdate('template_category_update', coming, 10);
    expect(await shown()).toMatchObject({
      category: 'UTILITY',
      upcoming_category: { category: 'MARKETING', at: '2025-05-02T07:00:00.000000Z' },
    });
    await postUpdate('template_category_update', { previous_category: 'UTILITY', new_category: 'MARKETING' }, 20);
    expect(await shown()).toMatchObject({ category: 'MARKETING', upcoming_category: null });
  });

  test('bring edited texts, with the examples that still fit', async () => {
    const { postUpdate, shown } = await synced();
    const edit = {
      message_template_title: 'Hello {{1}}!',
      message_template_element: 'Order {{1}} of {{2}} has shipped.',
      message_template_buttons: [
        { message_template_button_type: 'URL', message_template_button_text: 'Help', message_template_button_url: 'https://a.example' },
      ],
    };
    await postUpdate('message_template_components_update', edit, 10);
    expect((await shown()).components).toEqual([
      { type: 'HEADER', format: 'TEXT', text: 'Hello {{1}}!', example: { header_text: ['Ada'] } },
      { type: 'BODY', text: 'Order {{1}} of {{2}} has shipped.' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Help', url: 'https://a.example' }] },
    ]);
  });
});

describe('at the receiver', () => {
  test('the provider time of the post decides, and an id beyond 2^53 keeps its digits', async () => {
    const company = await fixture.company();
    const second = Math.floor(Date.now() / 1_000);
    const value = (event: string): string =>
      `{"event":"${event}","message_template_id":9007199254740993,"message_template_name":"x","message_template_language":"en-US","reason":"NONE"}`;
    for (const [event, time] of [
      ['PAUSED', second - 10],
      ['APPROVED', second - 20],
    ] as const) {
      const body = `{"object":"whatsapp_business_account","entry":[{"id":"${company.number.wabaId}","time":${time},"changes":[{"field":"message_template_status_update","value":${value(event)}}]}]}`;
      expect((await fixture.testApp.call(providerPost(company, body))).status).toBe(200);
      await fixture.testApp.drain();
    }
    expect(await getTemplateRow(company.id, 'x', 'en_US')).toMatchObject({ providerId: '9007199254740993', status: 'PAUSED' });
  });

  test('a value of an unexpected shape is archived, and answered 200', async () => {
    const company = await fixture.company();
    const stored = async (): Promise<number> => (await fixture.items(company.id, 'archived-update')).length;
    for (const value of [{}, { event: 'APPROVED' }, { message_template_id: {}, message_template_name: 'x' }])
      expect((await post(company, 'message_template_status_update', value, 1)).status).toBe(200);
    await fixture.testApp.drain();
    expect(await stored()).toBe(3);
  });
});
