import * as z from 'zod';
import { withFixture, type Scenario, expectOk } from '../scenario.ts';

const tokenCheck = 1;
const created = z.object({ data: z.object({ id: z.int(), stages: z.array(z.object({ id: z.int() })).optional() }) });

export const scenario: Scenario = {
  name: 'crm',
  description: 'CRM: what a lead, its changes, tasks and notes cost, beyond the token; and what follows from the change stream',
  deterministic: true,
  measure: () =>
    withFixture(async ({ testApp, token }) => {
      const call = async (method: string, path: string, body?: unknown) =>
        expectOk(testApp.call({ method, path: path.startsWith('/api') ? path : `/api/v1/crm${path}`, token, ...(body ? { body } : {}) }));
      const idOf = async (answer: ReturnType<typeof call>) => created.parse((await answer).body).data;
      const contact = await idOf(call('POST', '/api/v1/contacts', { phone: '+4915160000001', name: 'Ada' }));
      const pipeline = await idOf(call('POST', '/pipelines', { template: 'sales' }));
      const lead = (n: number) => ({
        contact_id: contact.id,
        pipeline_id: pipeline.id,
        title: 'A roof for the house',
        requirement: 'About 120 square metres, before the winter',
        value: 12_500,
        creation_key: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      });
      const { id } = await idOf(call('POST', '/leads', lead(1)));
      await testApp.drain();
      let second = 0;
      const create = await testApp.meter(async () => {
        second = (await idOf(call('POST', '/leads', lead(2)))).id;
      });
      const createFollows = await testApp.meter(() => testApp.drain());
      const patch = await testApp.meter(() => call('PATCH', `/leads/${id}`, { version: 1, title: 'A new roof' }));
      const patchFollows = await testApp.meter(() => testApp.drain());
      const move = await testApp.meter(() => call('PUT', `/leads/${id}/stage`, { version: 2, stage_id: pipeline.stages?.[1]?.id }));
      await testApp.drain();
      const due_at = new Date(testApp.clock.now() + 86_400_000).toISOString();
      let taskId = 0;
      const task = await testApp.meter(async () => {
        taskId = (await idOf(call('POST', `/leads/${id}/tasks`, { title: 'Call', due_at }))).id;
      });
      await testApp.drain();
      const assign = await testApp.meter(() => call('PATCH', `/leads/${id}/tasks/${taskId}`, { version: 1, timezone: 'Europe/Berlin' }));
      await testApp.drain();
      const note = await testApp.meter(() => call('POST', `/leads/${id}/notes`, { body: 'Prefers the morning' }));
      await testApp.drain();
      const get = await testApp.meter(() => call('GET', `/leads/${second}`));
      const timeline = await testApp.meter(() => call('GET', `/leads/${id}/activities`));
      return [
        { name: 'create, writes', unit: 'WRU', value: create.wru - tokenCheck },
        { name: 'create, what follows, writes', unit: 'WRU', value: createFollows.wru },
        { name: 'PATCH, writes', unit: 'WRU', value: patch.wru - tokenCheck, atMost: 3 },
        { name: 'PATCH, writing calls', unit: 'calls', value: patch.uses.filter(({ wru }) => wru > 0).length - 1, atMost: 1 },
        { name: 'PATCH, what follows, writes', unit: 'WRU', value: patchFollows.wru },
        { name: 'stage move, writes', unit: 'WRU', value: move.wru - tokenCheck, atMost: 3 },
        { name: 'new task, writes', unit: 'WRU', value: task.wru - tokenCheck },
        { name: 'PATCH of a task (title and due time stay), writes', unit: 'WRU', value: assign.wru - tokenCheck, atMost: 3 },
        { name: 'note, writes', unit: 'WRU', value: note.wru - tokenCheck },
        { name: 'detail, reads', unit: 'RRU', value: get.rru },
        { name: 'timeline, reads', unit: 'RRU', value: timeline.rru },
      ];
    }),
};
