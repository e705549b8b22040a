import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { campaignBatchesQueue, campaignBuildsQueue, campaignChecksQueue } from '../../functions/campaigns/contract/queue.ts';
import type { TestCompany } from '../support/company.ts';
import { type CampaignFixture, startFixture } from './fixture.ts';

let fixture: CampaignFixture;
let company: TestCompany;

beforeAll(async () => {
  fixture = await startFixture();
  company = await fixture.campaigner();
});
afterAll(() => fixture.stop());

describe('a campaign to everybody', () => {
  test('reaches each contact once, with its own words, and ends complete with exact counters', async () => {
    const people = await fixture.people(company, 130);
    const id = await fixture.create(company, { name: 'Sale', template_id: fixture.templateId(company, 'sale'), parammatch: { 1: 'name' } });
    await fixture.testApp.drain();
    await fixture.deliverAll();
    const ledger = await fixture.ledger();
    expect(ledger.map(({ to }) => to).toSorted()).toEqual(people.map(({ phone }) => phone).toSorted());
    expect(JSON.stringify(ledger[0]?.payload)).toContain('Person ');
    const details = await fixture.details(company, id);
    expect(details).toMatchObject({ status: 'completed', audience_count: 130, excluded_count: 0, is_active: true });
    const { byRows, byStats, open } = await fixture.counted(company, id);
    expect([byStats, open]).toEqual([byRows, 0]);
    expect(details.statistics).toMatchObject({ total: 130, scheduled: 0, processing: 0, failed: 0 });
    for (const queue of [campaignBuildsQueue, campaignBatchesQueue, campaignChecksQueue])
      expect(fixture.testApp.deadLettersOf(queue)).toEqual([]);
  });
});
