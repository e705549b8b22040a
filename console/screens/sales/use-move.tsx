import { type JSX, type ReactNode, useState } from 'react';
import { TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { toast, toastProblem } from '../../components/toasts.tsx';
import { api, type Answer, type Input, SwitchboardProblem } from '../../data/client.ts';
import { changeAhead, refresh } from '../../data/queries.ts';
import { salesText } from '../../text/sales.ts';
import { useText } from '../../text/text.ts';

type BoardAnswer = Answer<'getBoard'>;
type Stage = BoardAnswer['data']['pipeline']['stages'][number];
export type BoardLead = BoardAnswer['data']['columns'][number]['leads'][number];

/** Moves leads: shown at once, taken back where somewhere else it was moved meanwhile; a lost one needs its reason first. `leads`: as they are shown now. */
export const useMove = (
  stages: readonly Stage[],
  leads: readonly BoardLead[],
): {
  move: (lead: BoardLead, to: Stage) => void;
  dialog: ReactNode;
} => {
  const text = useText(salesText);
  const [lost, setLost] = useState<{ lead: BoardLead; to: Stage }>();
  const send = (lead: BoardLead, to: Stage): void => {
    void changeAhead(['getBoard'], movedTo(lead, to), () => moveAfterOthers(lead, { stage_id: to.id }))
      .then(() => toast(text.moved(to.name)))
      .catch((error: unknown) => {
        const current = error instanceof SwitchboardProblem && error.code === 'version_conflict' ? stageIn(error, stages) : undefined;
        if (current === undefined) toastProblem(error);
        else toast(text.movedMeanwhile(current));
      })
      .finally(reread);
  };
  return {
    move: (lead, to) => (to.outcome === 'lost' ? setLost({ lead, to }) : send(lead, to)),
    dialog: lost && (
      <WhyLost to={lost.to} lead={leads.find(({ id }) => id === lost.lead.id) ?? lost.lead} onClose={() => setLost(undefined)} />
    ),
  };
};

/** By lead: the version that the last move of this page leaves, 0 where it was refused. */
const moves = new Map<number, Promise<number>>();

/** A move that follows another one builds on it, though the board that is shown does not have its version yet: no one is refused for what they did themselves. */
const moveAfterOthers = async (
  lead: BoardLead,
  body: Omit<Input<'moveLead'>['body'], 'version'>,
  call?: { idempotencyKey: string },
): Promise<Answer<'moveLead'>> => {
  const before = moves.get(lead.id) ?? Promise.resolve(0);
  const moved = before.then((version) =>
    api.moveLead({ params: { id: lead.id }, body: { ...body, version: Math.max(version, lead.version) } }, call),
  );
  moves.set(
    lead.id,
    moved.then(
      ({ data }) => data.version,
      () => 0,
    ),
  );
  return moved;
};

const reread = (): void => void refresh('getBoard', 'getLead', 'listLeads', 'listLeadActivities');

/** The name of the stage in which the lead is, as the refusal has it. */
const stageIn = ({ details }: SwitchboardProblem, stages: readonly Stage[]): string | undefined => {
  const current = (details as { current?: { stage_id?: number } } | undefined)?.current;
  return stages.find(({ id }) => id === current?.stage_id)?.name;
};

/** A board that has the lead in its new column. */
const movedTo =
  (lead: BoardLead, to: Stage) =>
  (answer: BoardAnswer): BoardAnswer => {
    const columns = answer.data.columns.map((column) => {
      const had = column.leads.some(({ id }) => id === lead.id);
      const others = column.leads.filter(({ id }) => id !== lead.id);
      if (column.stage_id === to.id)
        return {
          ...column,
          total: column.total + (had ? 0 : 1),
          values: had ? column.values : withValue(column.values, lead, 1),
          leads: [{ ...lead, stage_id: to.id }, ...others],
        };
      return had ? { ...column, total: column.total - 1, values: withValue(column.values, lead, -1), leads: others } : column;
    });
    return { ...answer, data: { ...answer.data, columns } };
  };

type Values = BoardAnswer['data']['columns'][number]['values'];

/** What a column is worth with the lead in it, or without. */
const withValue = (values: Values, { value, currency }: BoardLead, by: 1 | -1): Values => {
  if (values === null || value === null || currency === null) return values;
  const before = values.find((each) => each.currency === currency)?.value ?? 0;
  return [...values.filter((each) => each.currency !== currency), { currency, value: before + by * value }].filter(
    (each) => each.value !== 0,
  );
};

const WhyLost = ({ lead, to, onClose }: { lead: BoardLead; to: Stage; onClose: () => void }): JSX.Element => {
  const text = useText(salesText);
  const { values, field, submitting } = useForm(
    { lost_reason: '' },
    // after a refusal the board is read again too: the next try is of the lead as it is then
    ({ lost_reason }, call) => moveAfterOthers(lead, { stage_id: to.id, lost_reason: lost_reason.trim() }, call).finally(reread),
    onClose,
  );
  return (
    <FormDialog
      {...submitting}
      title={`${to.name}: ${lead.title}`}
      action={to.name}
      isDisabled={values.lost_reason.trim() === ''}
      onClose={onClose}
    >
      <TextField label={text.whyLost} dir="auto" {...field('lost_reason')} />
    </FormDialog>
  );
};
