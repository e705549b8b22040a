import type { StageOutcome } from '../contract/stored-lead.ts';

export interface Stage {
  id: number;
  name: string;
  outcome: StageOutcome;
  /** No lead enters it any more; those in it stay until they are moved. */
  isArchived?: true | undefined;
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
export type PipelineTemplate = keyof typeof templates;

/** The stages of a template with ids from `firstId` on, in order. */
export const stagesOf = (template: PipelineTemplate, firstId: number): Stage[] =>
  templates[template].stages.map(([name, outcome], index) => ({ id: firstId + index, name, outcome }));

/** The stage of a new lead: the first open one. */
export const firstStage = (pipeline: Pipeline): Stage | undefined =>
  pipeline.stages.find(({ outcome, isArchived }) => outcome === 'open' && !isArchived);

/** A stage of a request: with an id one that exists, else a new one. */
export interface GivenStage {
  id?: number | undefined;
  name?: string | undefined;
  outcome?: StageOutcome | undefined;
  is_archived?: boolean | undefined;
}

/**
 * The stages in the order of the request, new ones with ids from `firstId` on; or the reason why not. Every stage that exists is among them
 * with its outcome, so that no lead loses its stage or changes its result; one that is not wanted any more is archived.
 */
export const arrangedStages = (stages: readonly Stage[], given: readonly GivenStage[], firstId: number): Stage[] | { refused: string } => {
  const ids = given.flatMap(({ id }) => id ?? []);
  const unknown = ids.find((id) => !stages.some((stage) => stage.id === id));
  const absent = stages.find(({ id }) => !ids.includes(id));
  if (unknown !== undefined) return { refused: `There is no stage ${unknown} in this pipeline.` };
  if (new Set(ids).size < ids.length) return { refused: 'Each stage must be given once.' };
  if (absent) return { refused: `Stage ${absent.id} is missing; archive it with is_archived instead.` };
  let nextId = firstId;
  const arranged = given.map((each): Stage => {
    const known = stages.find(({ id }) => id === each.id);
    const isArchived = each.is_archived ?? known?.isArchived ?? false;
    const { id, name, outcome } = known ?? { id: nextId++, name: '', outcome: each.outcome ?? ('open' as const) };
    return { id, name: each.name ?? name, outcome, ...(isArchived ? { isArchived: true as const } : {}) };
  });
  if (given.some(({ id, outcome }, place) => id !== undefined && outcome !== undefined && outcome !== arranged[place]?.outcome))
    return { refused: 'The outcome of a stage does not change; add another stage and move its leads.' };
  if (arranged.some(({ name }) => name === '')) return { refused: 'A new stage needs a name.' };
  return arranged.some(({ outcome, isArchived }) => outcome === 'open' && !isArchived)
    ? arranged
    : { refused: 'At least one open stage must not be archived: new leads start there.' };
};

/** Pipeline names are unique without regard to case. */
export const normalizeName = (name: string): string => name.normalize('NFC').toLowerCase();
