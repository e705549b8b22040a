import { afterAll, expect, test } from 'vitest';
import { listSetAsideChanges } from '../../functions/change-stream/service/set-aside.ts';
import { leadsPerPage } from '../../functions/crm/domain/lead-page.ts';
import { maxStays } from '../../functions/crm/domain/lead.ts';
import { leadPageEntity } from '../../functions/crm/store/row.ts';
import { inboundText } from '../support/company.ts';
import { recountAll } from '../support/fault-injection.ts';
import { seeded } from '../support/random.ts';
import { conversationOf } from '../change-stream/fixture.ts';
import { leadsOf, startFixture } from './fixture.ts';
import { mendedBy } from '../support/mutation.ts';

const fixture = await startFixture();
afterAll(() => fixture.stop());
const { testApp } = fixture;

const maxBytes = 300_000;

const sizesOf = async (companyId: number): Promise<number[]> =>
  (await testApp.dump({ kind: leadPageEntity.name }))
    .filter((item) => item['companyId'] === companyId)
    .map((item) => Buffer.byteLength(JSON.stringify(item)));

mendedBy(
  '64 leads with the longest texts stop nothing: their page stays below 300 KB, another company gets its conversation, and each text is found',
  {
    in: 'functions/crm/domain/lead-page.ts',
    replace: 'if (packed.length <= maxPackedLength) return packed;',
    by: 'if (packed.length >= 0) return packed;',
  },
  async () => {
    const [crm, other] = [await fixture.company(), await fixture.company()];
    const random = seeded(11);
    const texts = Array.from({ length: leadsPerPage }, () =>
      Array.from({ length: 4_990 }, () => String.fromCharCode(0x4e00 + Math.floor(random() * 20_000))).join(''),
    );
    const contact_id = await crm.contact();
    const pipeline_id = (await crm.pipeline('simple')).id;
    const ids: number[] = [];
    for (const [index, text] of texts.entries())
      ids.push((await crm.lead({ contact_id, pipeline_id, title: `Lead ${index}`, requirement: `${text}-end ${index}.` })).id);
    await testApp.call(inboundText(other.company, { from: '4915112345678', text: 'Hello' }));
    await testApp.drain();
    expect(await conversationOf(other.company.id, 1)).toMatchObject({ unread: 1 });
    expect(Math.max(...(await sizesOf(crm.company.id)))).toBeLessThan(maxBytes);
    expect(await listSetAsideChanges()).toEqual([]);
    expect(await recountAll(testApp, new Set([crm.company.id]))).toEqual([]);
    const first = leadsOf(await crm.call('GET', `/leads?search=${encodeURIComponent('-end 3.')}&limit=100`));
    expect(first.data.map(({ id }) => id)).toEqual([ids[3]]);
  },
);

test('a lead that is moved without end has a bounded item and a bounded entry among the facts of its page', async () => {
  const crm = await fixture.company();
  const pipeline = await crm.pipeline('simple');
  const [one, two] = pipeline.stages.map(({ id }) => id);
  const lead = await crm.lead({ pipeline_id: pipeline.id, contact_id: await crm.contact(), title: 'Restless' });
  let version = lead.version;
  for (let n = 0; n < maxStays + 20; n++) {
    const stage_id = n % 2 === 0 ? two : one;
    const moved = await crm.call('PUT', `/leads/${lead.id}/stage`, { version, stage_id });
    version = (moved.body as { data: { version: number } }).data.version;
  }
  await testApp.drain();
  const stored = (await testApp.dump({ kind: 'lead' })).find((item) => item['c'] === crm.company.id);
  expect(stored?.['st']).toHaveLength(maxStays);
  expect(await recountAll(testApp, new Set([crm.company.id]))).toEqual([]);
});
