import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { activitiesOf, leadOf, leadsOf, newKey, peopleOf, pipelineOf, pipelinesOf, refusalOf, startFixture } from './fixture.ts';

const fixture = await startFixture();
afterAll(() => fixture.stop());
const { testApp } = fixture;
const crm = await fixture.company();
const sales = await crm.pipeline('sales');
const stageNamed = (name: string): number => sales.stages.find((each) => each.name === name)?.id ?? 0;
const contactId = await crm.contact();
const newLead = (more: Record<string, unknown> = {}) => crm.lead({ contact_id: contactId, pipeline_id: sales.id, ...more });

describe('pipelines', () => {
  test('a template gives its stages in order, the first open one as default', () => {
    expect(sales.stages.map(({ name, outcome, order, is_default }) => [name, outcome, order, is_default])).toEqual([
      ['New', 'open', 1, true],
      ['Contacted', 'open', 2, false],
      ['Qualified', 'open', 3, false],
      ['Proposal', 'open', 4, false],
      ['Negotiation', 'open', 5, false],
      ['Won', 'won', 6, false],
      ['Lost', 'lost', 7, false],
    ]);
  });

  test('a name alone is a simple one, and a taken name, in any case, is 422', async () => {
    const made = pipelineOf(await crm.call('POST', '/pipelines', { name: 'Küche' }));
    expect(made.stages.map(({ name }) => name)).toEqual(['New', 'Won', 'Lost']);
    expect(refusalOf(await crm.call('POST', '/pipelines', { name: 'KÜCHE', template: 'sales' }))).toEqual([
      422,
      'validation_failed',
      'name',
    ]);
    expect(refusalOf(await crm.call('POST', '/pipelines', {}))).toEqual([422, 'validation_failed', 'name']);
  });

  test('only an owner makes one', async () => {
    const answer = await crm.call('POST', '/pipelines', { name: 'Mine' }, { role: 'admin' });
    expect([answer.status, answer.body]).toMatchObject([403, { code: 'role_required', details: { role: 'owner' } }]);
  });

  test('the list pages, and ends at 20 of them', async () => {
    const other = await fixture.company();
    expect(pipelinesOf(await other.call('GET', '/pipelines')).meta).toMatchObject({ total: 0, last_page: 1, per_page: 25 });
    for (let i = 0; i < 20; i++) await other.pipeline('simple', `Pipeline ${i}`);
    const answer = await other.call('POST', '/pipelines', { name: 'One too many' });
    expect([answer.status, answer.body]).toMatchObject([403, { code: 'plan_limit_reached', details: { limit: 20, used: 20 } }]);
    const me = await testApp.call({ method: 'GET', path: '/api/v1/me', token: other.company.tokens.owner });
    expect(me.body).toMatchObject({ data: { plan: { usage: { pipelines: 20 } } } });
    const first = pipelinesOf(await other.call('GET', '/pipelines?per_page=15'));
    const rest = pipelinesOf(await other.call('GET', `/pipelines?per_page=15&cursor=${first.meta.next_cursor}`));
    expect([...first.data, ...rest.data].map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, i) => `Pipeline ${i}`));
    expect(pipelinesOf(await other.call('GET', '/pipelines?per_page=15&page=2')).data).toEqual(rest.data);
  });

  test('two of one name made at once are one', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => crm.call('POST', '/pipelines', { name: 'At once' })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422, 422, 422, 422]);
  });
});

describe('a pipeline that is changed', () => {
  test('is renamed, its stages are renamed, reordered, added and archived, and no lead leaves its stage', async () => {
    const crm = await fixture.company();
    const { id, stages } = await crm.pipeline('simple', 'Roofs');
    const [first, won, lost] = stages;
    const lead = await crm.lead({ contact_id: await crm.contact(), pipeline_id: id });
    const put = (body: unknown) => crm.call('PUT', `/pipelines/${id}`, body);
    const arranged = [{ id: lost?.id }, { name: 'Visited' }, { id: won?.id, name: 'Built' }, { id: first?.id, is_archived: true }];
    const changed = pipelineOf(await put({ name: 'Gutters', stages: arranged }));
    expect([
      changed.name,
      changed.stages.map(({ name, outcome, is_archived, is_default }) => [name, outcome, is_archived, is_default]),
    ]).toEqual([
      'Gutters',
      [
        ['Lost', 'lost', false, false],
        ['Visited', 'open', false, true],
        ['Built', 'won', false, false],
        ['New', 'open', true, false],
      ],
    ]);
    expect(leadOf(await crm.call('GET', `/leads/${lead.id}`))).toMatchObject({ stage: { name: 'New' }, version: lead.version });
    const [, visited] = changed.stages;
    expect((await crm.lead({ contact_id: await crm.contact(), pipeline_id: id })).stage_id).toBe(visited?.id);
    await crm.call('PUT', `/leads/${lead.id}/stage`, { stage_id: visited?.id, version: 1 });
    const back = await crm.call('PUT', `/leads/${lead.id}/stage`, { stage_id: first?.id, version: 2 });
    expect(refusalOf(back)).toEqual([422, 'validation_failed', 'stage_id']);
    const refused = [
      [],
      arranged.slice(1).map(({ id: stageId, name }) => ({ id: stageId, name })),
      changed.stages.map((each) => ({ id: each.id, outcome: 'won' })),
      changed.stages.map((each) => ({ id: each.id, is_archived: true })),
      [...changed.stages.map((each) => ({ id: each.id })), {}],
      [...changed.stages.map((each) => ({ id: each.id })), { id: 999 }],
    ];
    for (const given of refused) expect((await put({ stages: given })).status).toBe(422);
    expect((await put({})).status).toBe(422);
    await crm.pipeline('simple', 'Roofs');
    expect(refusalOf(await put({ name: 'ROOFS' }))).toEqual([422, 'validation_failed', 'name']);
    expect((await crm.call('PUT', '/pipelines/987', { name: 'x' })).status).toBe(404);
    expect((await crm.call('PUT', `/pipelines/${id}`, { name: 'x' }, { role: 'admin' })).status).toBe(403);
  });

  test('to an archived one takes no lead, keeps those that it has, and comes back', async () => {
    const crm = await fixture.company();
    const [old, other] = [await crm.pipeline('simple', 'Old'), await crm.pipeline('sales', 'Other')];
    const contact_id = await crm.contact();
    const [stays, moves] = [await crm.lead({ contact_id, pipeline_id: old.id }), await crm.lead({ contact_id, pipeline_id: old.id })];
    pipelineOf(await crm.call('PUT', `/pipelines/${old.id}`, { is_active: false }));
    const names = async (query = '') =>
      z.object({ data: z.array(z.looseObject({ name: z.string() })) }).parse((await crm.call('GET', `/pipelines${query}`)).body).data;
    expect([(await names()).map(({ name }) => name), (await names('?archived=1')).map(({ name }) => name)]).toEqual([
      ['Other'],
      ['Old', 'Other'],
    ]);
    const body = { contact_id, pipeline_id: old.id, title: 'A roof', creation_key: newKey() };
    expect(refusalOf(await crm.call('POST', '/leads', body))).toEqual([422, 'validation_failed', 'pipeline_id']);
    const to = { pipeline_id: other.id, stage_id: other.stages[2]?.id, version: 1 };
    const moved = leadOf(await crm.call('PUT', `/leads/${moves.id}/stage`, to));
    expect(moved).toMatchObject({ pipeline: { name: 'Other' }, stage: { name: 'Qualified' }, version: 2 });
    const backTo = { pipeline_id: old.id, stage_id: old.stages[0]?.id, version: 2 };
    expect(refusalOf(await crm.call('PUT', `/leads/${moves.id}/stage`, backTo))).toEqual([422, 'validation_failed', 'pipeline_id']);
    await fixture.testApp.drain();
    const listed = async (pipelineId: number) =>
      leadsOf(await crm.call('GET', `/leads?pipeline_id=${pipelineId}`)).data.map(({ id }) => id);
    expect([await listed(old.id), await listed(other.id)]).toEqual([[stays.id], [moves.id]]);
    pipelineOf(await crm.call('PUT', `/pipelines/${old.id}`, { is_active: true }));
    expect(leadOf(await crm.call('PUT', `/leads/${moves.id}/stage`, backTo)).pipeline_id).toBe(old.id);
  });
});

describe('a new lead', () => {
  test('is in the first open stage with its contact, and all that was given', async () => {
    const lead = await newLead({
      title: ' Solar ',
      requirement: '12 kW',
      value: 12000.5,
      currency: 'eur',
      owner_id: crm.company.users.member,
    });
    expect(lead).toMatchObject({
      title: 'Solar',
      requirement: '12 kW',
      value: 12000.5,
      currency: 'EUR',
      outcome: 'open',
      stage: { name: 'New', outcome: 'open' },
      pipeline: { id: sales.id, name: 'Sales' },
      owner: { id: crm.company.users.member, name: 'The member' },
      contact: { id: contactId },
      source: 'api',
      version: 1,
      next_action: null,
      pending_tasks_count: 0,
      overdue_tasks_count: 0,
      closed_at: null,
      lost_reason: null,
    });
    expect(leadOf(await crm.call('GET', `/leads/${lead.id}`))).toEqual(lead);
  });

  test.each([
    [{ contact_id: 987654 }, 'contact_id'],
    [{ pipeline_id: 987654 }, 'pipeline_id'],
    [{ owner_id: 987654 }, 'owner_id'],
    [{ owner_id: 'viewer' }, 'owner_id'],
    [{ title: ' ' }, 'title'],
    [{ title: 'x'.repeat(256) }, 'title'],
    [{ requirement: 'x'.repeat(5_001) }, 'requirement'],
    [{ value: -1 }, 'value'],
    [{ value: 1.234 }, 'value'],
    [{ value: '12' }, 'value'],
    [{ currency: 'XYZ' }, 'currency'],
    [{ creation_key: 'not-a-uuid' }, 'creation_key'],
    [{ source: 'elsewhere' }, 'source'],
  ])('with %j is 422 on its field', async (more: Record<string, unknown>, field) => {
    const body: Record<string, unknown> = {
      contact_id: contactId,
      pipeline_id: sales.id,
      title: 'A roof',
      creation_key: newKey(),
      ...more,
    };
    if (body['owner_id'] === 'viewer') body['owner_id'] = crm.company.users.viewer;
    expect(refusalOf(await crm.call('POST', '/leads', body))).toEqual([422, 'validation_failed', field]);
  });

  test('made again with its creation key is the same one, also twenty times at once, and only once in the list', async () => {
    const body = { contact_id: await crm.contact(), pipeline_id: sales.id, title: 'Once', creation_key: newKey() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => crm.call('POST', '/leads', body)));
    const ids = new Set(answers.map((answer) => leadOf(answer).id));
    expect(ids.size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] !== 'true')).toHaveLength(1);
    expect(leadsOf(await crm.call('GET', `/leads?contact_id=${body.contact_id}`)).meta.total).toBe(1);
    const upper = { ...body, creation_key: body.creation_key.toUpperCase() };
    expect(ids).toContain(leadOf(await crm.call('POST', '/leads', upper)).id);
    expect(refusalOf(await crm.call('POST', '/leads', { ...body, title: 'Twice' }))).toEqual([409, 'creation_key_reused']);
  });

  test('by a viewer is 403, and a viewer may read it', async () => {
    const { id } = await newLead();
    const body = { contact_id: contactId, pipeline_id: sales.id, title: 'No', creation_key: newKey() };
    expect((await crm.call('POST', '/leads', body, { role: 'viewer' })).status).toBe(403);
    expect((await crm.call('GET', `/leads/${id}`, undefined, { role: 'viewer' })).status).toBe(200);
  });
});

describe('changing a lead', () => {
  test('fifty times at once with one version: one wins, 49 are told the record as it is, the timeline has one entry', async () => {
    const { id } = await newLead();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => crm.call('PATCH', `/leads/${id}`, { version: 1, title: `Roof ${i}` })),
    );
    const won = answers.filter(({ status }) => status === 200).map(leadOf);
    expect(won).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expect([answer.status, answer.body]).toMatchObject([
        409,
        { code: 'version_conflict', details: { current_version: 2, current: { id, version: 2, title: won[0]?.title } } },
      ]);
    for (const drained of [false, true]) {
      if (drained) await testApp.drain();
      const entries = activitiesOf(await crm.call('GET', `/leads/${id}/activities`)).data;
      expect(entries.map(({ type }) => type)).toEqual(['lead.updated', 'lead.created']);
      expect(entries[0]).toMatchObject({
        actor: { type: 'user', id: crm.company.users.owner, name: 'The owner' },
        data: { changes: { title: { from: 'A roof', to: won[0]?.title } } },
      });
    }
  });

  test('to what it is already keeps version and time, and leaves no entry', async () => {
    const lead = await newLead({ value: 5 });
    const same = leadOf(await crm.call('PATCH', `/leads/${lead.id}`, { version: 1, title: lead.title, value: 5 }));
    expect(same).toEqual(lead);
    expect(activitiesOf(await crm.call('GET', `/leads/${lead.id}/activities`)).meta.total).toBe(1);
  });

  test('takes the whole record back: what it does not change may be given as it is', async () => {
    const { contact_id, pipeline_id, stage_id, title, version, id } = await newLead();
    const whole = { contact_id, pipeline_id, stage_id, title, version };
    expect(leadOf(await crm.call('PATCH', `/leads/${id}`, whole))).toMatchObject({ version: 1, title });
    const next = leadOf(await crm.call('PATCH', `/leads/${id}`, { ...whole, title: 'Two roofs', stage_id: String(stage_id) }));
    expect(next).toMatchObject({ version: 2, title: 'Two roofs', stage_id, pipeline_id, contact_id });
    const other = { ...whole, version: 2, contact_id: contact_id + 1, stage_id: stage_id + 1, title: 'No' };
    expect(refusalOf(await crm.call('PATCH', `/leads/${id}`, other))).toEqual([422, 'validation_failed', 'contact_id', 'stage_id']);
    expect(leadOf(await crm.call('GET', `/leads/${id}`))).toEqual(next);
  });

  test('null clears, and what is not given stays', async () => {
    const lead = await newLead({ value: 5, currency: 'EUR', requirement: 'Much', owner_id: crm.company.users.member });
    const next = leadOf(await crm.call('PATCH', `/leads/${lead.id}`, { version: 1, value: null, owner_id: null }));
    expect(next).toMatchObject({ value: null, owner_id: null, owner: null, requirement: 'Much', currency: 'EUR', version: 2 });
  });

  test('another owner alone is its own kind of entry', async () => {
    const lead = await newLead();
    await crm.call('PATCH', `/leads/${lead.id}`, { version: 1, owner_id: crm.company.users.admin });
    const [entry] = activitiesOf(await crm.call('GET', `/leads/${lead.id}/activities`)).data;
    expect(entry).toMatchObject({ type: 'owner.changed', data: { from: null, to: crm.company.users.admin } });
  });

  test.each([
    [{ title: 'x' }, 'version'],
    [{ version: 0 }, 'version'],
    [{ version: 1, contact_id: 987654 }, 'contact_id'],
    [{ version: 1, stage_id: 987654 }, 'stage_id'],
    [{ version: 1, pipeline_id: 987654, title: 'x' }, 'pipeline_id'],
    [{ version: 1, lost_reason: 'None' }, 'lost_reason'],
    [{ version: 1, owner_id: 987654 }, 'owner_id'],
    [{ version: 1, title: ' ' }, 'title'],
  ])('with %j is 422 on its field', async (body, field) => {
    const { id } = await newLead();
    expect(refusalOf(await crm.call('PATCH', `/leads/${id}`, body))).toEqual([422, 'validation_failed', field]);
  });
});

describe('moving a lead', () => {
  const move = (id: number, body: Record<string, unknown>) => crm.call('PUT', `/leads/${id}/stage`, body);

  test('to lost needs a reason, and leaving it clears reason and closing time; the timeline keeps both', async () => {
    const { id } = await newLead();
    const lost = stageNamed('Lost');
    expect(refusalOf(await move(id, { stage_id: lost, version: 1 }))).toEqual([422, 'validation_failed', 'lost_reason']);
    await testApp.drain();
    testApp.clock.advance(90_000);
    const closed = leadOf(await move(id, { stage_id: lost, version: 1, lost_reason: 'Price' }));
    expect(closed).toMatchObject({ outcome: 'lost', lost_reason: 'Price', version: 2, stage: { name: 'Lost' } });
    expect(closed.closed_at).toBe(closed.stage_entered_at);
    expect(leadOf(await crm.call('PATCH', `/leads/${id}`, { version: 2, lost_reason: 'Time' })).lost_reason).toBe('Time');
    const open = leadOf(await move(id, { stage_id: stageNamed('Qualified'), version: 3 }));
    expect(open).toMatchObject({ outcome: 'open', lost_reason: null, closed_at: null, version: 4 });
    const won = leadOf(await move(id, { stage_id: stageNamed('Won'), version: 4 }));
    expect(won).toMatchObject({ outcome: 'won', lost_reason: null });
    const types = activitiesOf(await crm.call('GET', `/leads/${id}/activities`)).data;
    expect(types.map(({ type, data }) => [type, data['to_name'] ?? null])).toEqual([
      ['stage.changed', 'Won'],
      ['stage.changed', 'Qualified'],
      ['lead.updated', null],
      ['stage.changed', 'Lost'],
      ['lead.created', null],
    ]);
    expect(types[3]?.data).toMatchObject({ from: stageNamed('New'), to: lost, lost_reason: 'Price' });
    expect(z.number().parse(types[3]?.data['seconds_in_stage'])).toBeGreaterThanOrEqual(90);
    expect(types[1]?.data).toMatchObject({ former_lost_reason: 'Time' });
  });

  test('to where it is changes nothing', async () => {
    const lead = await newLead();
    expect(leadOf(await move(lead.id, { stage_id: stageNamed('New'), version: 1 }))).toEqual(lead);
  });

  test("to another pipeline's stage is 422, with a stale version 409", async () => {
    const other = await crm.pipeline('simple', 'Another');
    const { id } = await newLead();
    expect(refusalOf(await move(id, { stage_id: other.stages[0]?.id, version: 1 }))).toEqual([422, 'validation_failed', 'stage_id']);
    await move(id, { stage_id: stageNamed('Contacted'), version: 1 });
    expect(refusalOf(await move(id, { stage_id: stageNamed('Proposal'), version: 1 }))).toEqual([409, 'version_conflict']);
  });
});

test('the board of a pipeline shows each stage with its count and first leads, as the list does, and no lead of another pipeline', async () => {
  const other = await fixture.company();
  const { id: pipeline_id, stages } = await other.pipeline('simple');
  const contact_id = await other.contact();
  const made: number[] = [];
  for (let nth = 0; nth < 3; nth++) made.unshift((await other.lead({ contact_id, pipeline_id })).id);
  await other.lead({ contact_id, pipeline_id: (await other.pipeline('sales', 'Elsewhere')).id });
  await other.call('PUT', `/leads/${made[2]}/stage`, { stage_id: stages[1]?.id, version: 1 });
  const answer = await other.call('GET', `/board?pipeline_id=${pipeline_id}&limit=1`);
  expect(answer.body).toMatchObject({
    data: {
      pipeline: { id: pipeline_id },
      columns: [
        { stage_id: stages[0]?.id, total: 2, leads: [{ id: made[0] }] },
        { stage_id: stages[1]?.id, total: 1, leads: [{ id: made[2] }] },
        { stage_id: stages[2]?.id, total: 0, leads: [] },
      ],
    },
  });
  expect(refusalOf(await other.call('GET', '/board?pipeline_id=99'))).toEqual([422, 'validation_failed', 'pipeline_id']);
});

test('the board searches the texts of all leads once, whatever its stages, and shows each match in its stage', async () => {
  const other = await fixture.company();
  const { id: pipeline_id, stages } = await other.pipeline('simple');
  const contact_id = await other.contact();
  const made: { id: number; version: number }[] = [];
  for (let nth = 0; nth < 27; nth++)
    made.push(await other.lead({ contact_id, pipeline_id, title: nth < 2 ? `Garden house ${nth}` : `Roof ${nth}` }));
  const [first, second] = made;
  await testApp.drain();
  await other.call('PUT', `/leads/${second?.id}/stage`, { stage_id: stages[1]?.id, version: second?.version });
  for (const { id } of made.slice(2)) await other.call('PATCH', `/leads/${id}`, { value: 1, version: 1 });
  await testApp.drain();
  let reads = 0;
  using _hook = testApp.onTable(({ command, input, when }) => {
    if (when === 'before' && command === 'Query' && JSON.stringify(input).includes('#LDB#texts')) reads++;
  });
  await other.call('GET', '/leads?search=garden');
  const ofList = reads;
  expect(ofList).toBeGreaterThan(0);
  const answer = await other.call('GET', `/board?pipeline_id=${pipeline_id}&search=garden`);
  expect(answer.body).toMatchObject({
    data: {
      columns: [
        { stage_id: stages[0]?.id, leads: [{ id: first?.id }] },
        { stage_id: stages[1]?.id, leads: [{ id: second?.id }] },
        { stage_id: stages[2]?.id, leads: [] },
      ],
    },
  });
  expect(reads - ofList).toBe(ofList);
});

test('the board sums all leads of a stage by currency, also those it does not show, and of one owner; a moved, changed or deleted lead counts where it is', async () => {
  const other = await fixture.company();
  const { id: pipeline_id, stages } = await other.pipeline('simple');
  const contact_id = await other.contact();
  const owner_id = other.company.users.member;
  const [first, second, third] = [
    await other.lead({ contact_id, pipeline_id, value: 100.5, currency: 'EUR', owner_id }),
    await other.lead({ contact_id, pipeline_id, value: 20, currency: 'EUR' }),
    await other.lead({ contact_id, pipeline_id, value: 7, currency: 'USD' }),
  ];
  await other.lead({ contact_id, pipeline_id });
  const values = async (query = ''): Promise<unknown[]> => {
    await fixture.testApp.drain();
    const { body } = await other.call('GET', `/board?pipeline_id=${pipeline_id}&limit=1${query}`);
    return (body as { data: { columns: { values: unknown }[] } }).data.columns.map((column) => column.values);
  };
  const eur = (value: number) => ({ currency: 'EUR', value });
  expect(await values()).toEqual([[eur(120.5), { currency: 'USD', value: 7 }], [], []]);
  expect(await values(`&owner_id=${owner_id}`)).toEqual([[eur(100.5)], [], []]);
  expect(await values('&search=x')).toEqual([null, null, null]);
  await other.call('PUT', `/leads/${first.id}/stage`, { stage_id: stages[1]?.id, version: first.version });
  await other.call('PATCH', `/leads/${second.id}`, { value: 30, version: second.version });
  await other.call('DELETE', `/leads/${third.id}`);
  expect(await values()).toEqual([[eur(30)], [eur(100.5)], []]);
});

test('people are the active ones who may write, and say who asks', async () => {
  const { id } = await newLead();
  const people = peopleOf(await crm.call('GET', `/leads/${id}/people`, undefined, { role: 'member' }));
  expect(people.map(({ role, is_me }) => [role, is_me]).toSorted(([a], [b]) => String(a).localeCompare(String(b)))).toEqual([
    ['admin', false],
    ['member', true],
    ['owner', false],
  ]);
});

test('the 61st request of a minute is 429', async () => {
  const other = await fixture.company();
  testApp.clock.moveTo((Math.floor(testApp.clock.now() / 60_000) + 1) * 60_000);
  const answers = await Promise.all(
    Array.from({ length: 61 }, () => other.call('GET', '/tasks', undefined, { role: 'viewer', counted: true })),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 60 }, () => 200), 429]);
});

test('a deleted contact leaves its lead, without the contact', async () => {
  const gone = await crm.contact();
  const { id } = await crm.lead({ contact_id: gone, pipeline_id: sales.id });
  await crm.call('DELETE', `/api/v1/contacts/${gone}`);
  expect(leadOf(await crm.call('GET', `/leads/${id}`))).toMatchObject({ contact: null, contact_id: gone });
});

test('a changed lead costs 3 WRU in one write, beyond the token', async () => {
  const { id } = await newLead({
    requirement: 'A roof of 120 square metres with a window',
    owner_id: crm.company.users.member,
    value: 12_500,
  });
  await testApp.drain();
  const used = await testApp.meter(() => crm.call('PATCH', `/leads/${id}`, { version: 1, title: 'A new roof' }, { counted: true }));
  const writes = used.uses.filter(({ wru }) => wru > 0).map(({ command, wru }) => [command, wru]);
  expect(writes).toEqual([
    ['UpdateItem', 1],
    ['PutItem', 3],
  ]);
});
