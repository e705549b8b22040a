import type { TestCompany } from '../support/company.ts';

/** The CRM as a plain program would keep it: what every answer of the product is held against. Times are epoch milliseconds. */
export interface ModelLead {
  id: number;
  contactId: number;
  pipelineId: number;
  stageId: number;
  title: string;
  requirement: string | null;
  ownerId: number | null;
  value: number | null;
  lostReason: string | null;
  version: number;
  /** Position in the order of changes. */
  touched: number;
  entries: string[];
  notes: { id: number; body: string }[];
}

export interface ModelTask {
  id: number;
  leadId: number;
  title: string;
  dueAt: number;
  assigneeId: number;
  status: 'pending' | 'completed' | 'cancelled';
  version: number;
}

export interface LeadFilter {
  contact_id?: number;
  pipeline_id?: number;
  stage_id?: number;
  owner_id?: number;
  outcome?: 'open' | 'won' | 'lost';
  unassigned?: boolean;
  needs_next_action?: boolean;
  overdue_follow_up?: boolean;
  search?: string;
}

export interface TaskFilter {
  lead_id?: number;
  status?: 'pending' | 'completed' | 'cancelled';
  assignee_id?: number;
  mine?: boolean;
  overdue?: boolean;
  due_from?: string;
  due_to?: string;
}

export class Model {
  readonly leads = new Map<number, ModelLead>();
  readonly tasks = new Map<number, ModelTask>();
  readonly company: TestCompany;
  readonly outcomes: ReadonlyMap<number, 'open' | 'won' | 'lost'>;
  readonly contacts: ReadonlyMap<number, string>;
  #touches = 0;

  constructor(company: TestCompany, outcomes: ReadonlyMap<number, 'open' | 'won' | 'lost'>, contacts: ReadonlyMap<number, string>) {
    this.company = company;
    this.outcomes = outcomes;
    this.contacts = contacts;
  }

  touch(): number {
    return ++this.#touches;
  }

  pendingOf(leadId: number): ModelTask[] {
    return [...this.tasks.values()]
      .filter((task) => task.leadId === leadId && task.status === 'pending')
      .sort((a, b) => a.dueAt - b.dueAt || a.id - b.id);
  }

  /** What a list must show, in its order. */
  leadIds(filter: LeadFilter, now: number): number[] {
    return [...this.leads.values()]
      .filter((lead) => {
        const pending = this.pendingOf(lead.id);
        const isOverdue = pending.some(({ dueAt }) => dueAt < now);
        const text = [lead.title, lead.requirement ?? '', this.contacts.get(lead.contactId) ?? ''].join('\n').toLowerCase();
        return (
          (filter.contact_id === undefined || lead.contactId === filter.contact_id) &&
          (filter.pipeline_id === undefined || lead.pipelineId === filter.pipeline_id) &&
          (filter.stage_id === undefined || lead.stageId === filter.stage_id) &&
          (filter.owner_id === undefined || lead.ownerId === filter.owner_id) &&
          (filter.outcome === undefined || this.outcomes.get(lead.stageId) === filter.outcome) &&
          (filter.unassigned === undefined || (lead.ownerId === null) === filter.unassigned) &&
          (filter.needs_next_action === undefined || (pending.length === 0) === filter.needs_next_action) &&
          (filter.overdue_follow_up === undefined || isOverdue === filter.overdue_follow_up) &&
          (filter.search === undefined || text.includes(filter.search.toLowerCase()))
        );
      })
      .sort((a, b) => b.touched - a.touched)
      .map(({ id }) => id);
  }

  taskIds(filter: TaskFilter, callerId: number, now: number): number[] {
    return [...this.tasks.values()]
      .filter(
        (task) =>
          (filter.lead_id === undefined || task.leadId === filter.lead_id) &&
          (filter.status === undefined || task.status === filter.status) &&
          (filter.assignee_id === undefined || task.assigneeId === filter.assignee_id) &&
          (filter.mine === undefined || (task.assigneeId === callerId) === filter.mine) &&
          (filter.overdue === undefined || (task.status === 'pending' && task.dueAt < now) === filter.overdue) &&
          (filter.due_from === undefined || task.dueAt >= Date.parse(filter.due_from)) &&
          (filter.due_to === undefined || task.dueAt <= Date.parse(filter.due_to)),
      )
      .sort((a, b) => a.dueAt - b.dueAt || a.id - b.id)
      .map(({ id }) => id);
  }
}
