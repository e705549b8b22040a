import type { StageOutcome } from '../contract/stored-lead.ts';

export interface Stage {
  id: number;
  name: string;
  outcome: StageOutcome;
}

export interface Pipeline {
  companyId: number;
  id: number;
  name: string;
  isActive: boolean;
  stages: readonly Stage[];
  createdAt: number;
  updatedAt: number;
}

export const maxPipelines = 20;

type Blueprint = readonly (readonly [name: string, outcome: StageOutcome])[];

/** The starter templates; a pipeline created by name alone uses `simple`. */
export const templates = {
  simple: {
    name: 'Simple',
    stages: [
      ['New', 'open'],
      ['Won', 'won'],
      ['Lost', 'lost'],
    ],
  },
  sales: {
    name: 'Sales',
    stages: [
      ['New', 'open'],
      ['Contacted', 'open'],
      ['Qualified', 'open'],
      ['Proposal', 'open'],
      ['Negotiation', 'open'],
      ['Won', 'won'],
      ['Lost', 'lost'],
    ],
  },
  appointments: {
    name: 'Appointments',
    stages: [
      ['Requested', 'open'],
      ['Confirmed', 'open'],
      ['Attended', 'open'],
      ['Won', 'won'],
      ['No-show', 'lost'],
    ],
  },
} as const satisfies Record<string, { name: string; stages: Blueprint }>;
export type TemplateName = keyof typeof templates;

/** The stages of a template with ids from `firstId` on, in order. */
export const stagesOf = (template: TemplateName, firstId: number): Stage[] =>
  templates[template].stages.map(([name, outcome], index) => ({ id: firstId + index, name, outcome }));

/** The stage of a new lead: the first open one. */
export const firstStage = (pipeline: Pipeline): Stage | undefined => pipeline.stages.find(({ outcome }) => outcome === 'open');

/** Pipeline names are unique without regard to case. */
export const normalizeName = (name: string): string => name.normalize('NFC').toLowerCase();
