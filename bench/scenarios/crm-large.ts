import { credentialEntity } from '../../shared/access/credential.ts';
import { tokenHash } from '../../shared/access/token.ts';
import { windowField } from '../../shared/access/window.ts';
import { type LoadedCrm, loadCrm } from '../large-crm.ts';
import { type Figure, withFixture, type Scenario, expectOk } from '../scenario.ts';

const leadCount = 50_000;
const taskCount = 100_000;
const dayMs = 86_400_000;

/** Deterministic in its units; not run with the tests, because filling the table takes a minute. */
export const scenario: Scenario = {
  name: 'crm-large',
  description: `CRM with ${leadCount.toLocaleString('en')} leads and ${taskCount.toLocaleString('en')} tasks in one company: first pages by filter, reports`,
  deterministic: false,
  measure: () =>
    withFixture(async ({ testApp, company, token }) => {
      const size = { leads: leadCount, tasks: taskCount };
      const seed = await loadCrm(company.id, company.users, size, testApp.clock.now());
      const get = async (path: string) => {
        const at = testApp.clock.now();
        await credentialEntity.change({ hash: tokenHash(token) }, { remove: [windowField('crm', at), windowField('crm', at + 60_000)] });
        let answer: Awaited<ReturnType<typeof testApp.call>> | undefined;
        const began = performance.now();
        const used = await testApp.meter(async () => {
          answer = await expectOk(testApp.call({ method: 'GET', path: `/api/v1/crm${path}`, token }));
        });
        return { used, ms: performance.now() - began, answer };
      };
      const figures: Figure[] = [];
      for (const [name, path, atMost] of pages(seed)) {
        const { used } = await get(path);
        figures.push({ name, unit: 'RRU', value: used.rru, atMost });
      }
      const date = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
      const range = `from=${date(testApp.clock.now() - 360 * dayMs)}&to=${date(testApp.clock.now())}&timezone=Europe/Berlin`;
      for (const [name, more] of [
        ['report over 12 months', ''],
        ['report over 12 months, compared with the year before', '&compare=previous_year'],
        ['report over 12 months of one owner', `&owner_id=${seed.owners[0]}`],
      ] as const) {
        await get(`/reports?${range}${more}`);
        const { used, ms } = await get(`/reports?${range}${more}`);
        figures.push(
          { name: `${name}, reads`, unit: 'RRU', value: used.rru, atMost: 1_500 },
          { name, unit: 'ms', value: ms, atMost: 1_500 },
        );
      }
      return figures;
    }),
};

function pages({ owners, pipelineId, stages }: LoadedCrm): [string, string, number][] {
  const stage = stages[2]?.id;
  const [owner] = owners;
  const soon = new Date(Date.now() + 7 * dayMs).toISOString();
  const leads: [string, string][] = [
    ['all', ''],
    ['contact_id', 'contact_id=17'],
    ['pipeline_id', `pipeline_id=${pipelineId}`],
    ['stage_id', `stage_id=${stage}`],
    ['owner_id', `owner_id=${owner}`],
    ['outcome=open', 'outcome=open'],
    ['outcome=won', 'outcome=won'],
    ['outcome=lost', 'outcome=lost'],
    ['unassigned', 'unassigned=1'],
    ['unassigned=0', 'unassigned=0'],
    ['needs_next_action', 'needs_next_action=1'],
    ['needs_next_action=0', 'needs_next_action=0'],
    ['overdue_follow_up', 'overdue_follow_up=1'],
    ['overdue_follow_up=0', 'overdue_follow_up=0'],
    ['stage, owner, overdue', `stage_id=${stage}&owner_id=${owner}&overdue_follow_up=1`],
    ['lost, unassigned, with a next action', 'outcome=lost&unassigned=1&needs_next_action=0'],
    ['owner, page 4', `owner_id=${owner}&page=4`],
  ];
  const tasks: [string, string][] = [
    ['all', ''],
    ['lead_id', 'lead_id=25000'],
    ['status=pending', 'status=pending'],
    ['status=cancelled', 'status=cancelled'],
    ['assignee_id', `assignee_id=${owner}`],
    ['mine', 'mine=1'],
    ['mine=0', 'mine=0'],
    ['reminded', 'reminded=1'],
    ['reminded=0', 'reminded=0'],
    ['overdue', 'overdue=1'],
    ['overdue=0', 'overdue=0'],
    ['due_from', `due_from=${soon}`],
    ['due_to', `due_to=${soon}`],
    ['mine, pending, overdue', 'mine=1&status=pending&overdue=1'],
    ['assignee, due_from, due_to', `assignee_id=${owner}&due_from=${soon}&due_to=${soon.slice(0, 4)}-12-31`],
  ];
  return [
    ...leads.map(([name, query]): [string, string, number] => [`leads, ${name}`, `/leads?${query}`, 30]),
    ['leads, search found often', '/leads?search=garden', 700],
    ['leads, search found seldom', '/leads?search=number%2049123', 700],
    ['leads, search of a phone, with owner', `/leads?search=4915170001234&owner_id=${owner}`, 700],
    ...tasks.map(([name, query]): [string, string, number] => [`tasks, ${name}`, `/tasks?${query}`, 30]),
  ];
}
