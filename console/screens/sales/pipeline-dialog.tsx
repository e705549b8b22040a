import { type JSX, useRef, useState } from 'react';
import type { Pipeline, UpdatePipelineRequest } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { CheckField, SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { toast } from '../../components/toasts.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { refresh } from '../../data/queries.ts';
import { salesText } from '../../text/sales.ts';
import { useText } from '../../text/text.ts';

interface EditedStage {
  /** Its place in the document, which stays when it is moved. */
  key: string;
  id?: number;
  name: string;
  outcome: 'open' | 'won' | 'lost';
  isArchived: boolean;
}

interface PipelineDialogProps {
  pipeline: Pipeline;
  /** How many leads each stage has. */
  counts: ReadonlyMap<number, number>;
  onClose: () => void;
}

/** A pipeline's name and stages: renamed, added, put in another order, archived. The whole order is sent at once. */
export const PipelineDialog = ({ pipeline, counts, onClose }: PipelineDialogProps): JSX.Element => {
  const text = useText(salesText);
  const added = useRef(0);
  const [name, setName] = useState(pipeline.name);
  const [before] = useState(() => stagesOf(pipeline));
  const [stages, setStages] = useState(before);
  const [isAway, setAway] = useState(!pipeline.is_active);
  const save = useWrite(
    (body: UpdatePipelineRequest, call) => api.updatePipeline({ params: { id: pipeline.id }, body }, call),
    () => {
      toast(isAway && pipeline.is_active ? text.pipelinePutAway : text.pipelineSaved);
      void refresh('listPipelines', 'getBoard', 'getReport');
      onClose();
    },
  );
  const change = (key: string, edit: Partial<EditedStage>): void =>
    setStages((all) => all.map((each) => (each.key === key ? { ...each, ...edit } : each)));
  const move = (place: number, by: 1 | -1): void =>
    setStages((all) => {
      const [moved, other] = [all[place], all[place + by]];
      return moved && other ? all.with(place, other).with(place + by, moved) : all;
    });
  const add = (): void => setStages((all) => [...all, { key: `new-${++added.current}`, name: '', outcome: 'open', isArchived: false }]);
  const submit = (): void =>
    save.run({
      ...(name.trim() === pipeline.name ? {} : { name: name.trim() }),
      ...(isAway === pipeline.is_active ? { is_active: !isAway } : {}),
      stages: stages.map(({ id, name: stageName, outcome, isArchived }) => ({
        ...(id === undefined ? { outcome } : { id }),
        name: stageName.trim(),
        is_archived: isArchived,
      })),
    });
  return (
    <FormDialog
      write={save}
      fields={['name']}
      wide
      title={text.editPipeline}
      isChanged={isAway === pipeline.is_active || name !== pipeline.name || JSON.stringify(stages) !== JSON.stringify(before)}
      isDisabled={name.trim() === '' || stages.some((each) => each.name.trim() === '')}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label={text.pipelineName} dir="auto" value={name} onText={setName} />
      <ol className="stages stack" aria-label={text.stages}>
        {stages.map((stage, place) => (
          <Stage
            key={stage.key}
            stage={stage}
            count={stage.id === undefined ? 0 : (counts.get(stage.id) ?? 0)}
            isFirst={place === 0}
            isLast={place === stages.length - 1}
            onChange={(edit) => change(stage.key, edit)}
            onMove={(by) => move(place, by)}
            onRemove={() => setStages((all) => all.filter(({ key }) => key !== stage.key))}
          />
        ))}
      </ol>
      <div>
        <Button icon="plus" onClick={add}>
          {text.addStage}
        </Button>
      </div>
      <CheckField label={text.putAway} hint={text.putAwayHint} checked={isAway} onCheck={setAway} />
    </FormDialog>
  );
};

const stagesOf = ({ stages }: Pipeline): EditedStage[] =>
  stages.map(({ id, name, outcome, is_archived: isArchived }) => ({ key: String(id), id, name, outcome, isArchived }));

interface StageProps {
  stage: EditedStage;
  count: number;
  isFirst: boolean;
  isLast: boolean;
  onChange: (edit: Partial<EditedStage>) => void;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}

const Stage = ({ stage, count, isFirst, isLast, onChange, onMove, onRemove }: StageProps): JSX.Element => {
  const text = useText(salesText);
  const { id, name, outcome, isArchived } = stage;
  const outcomes = { open: text.outcomeOpen, won: text.outcomeWon, lost: text.outcomeLost };
  const label = name.trim() === '' ? text.newStage : name;
  return (
    <li className={isArchived ? 'archived' : ''}>
      <TextField label={text.stage} dir="auto" value={name} onText={(value) => onChange({ name: value })} />
      {id === undefined ? (
        <SelectField
          label={text.meaning}
          value={outcome}
          onText={(value) => onChange({ outcome: value })}
          choices={(['open', 'won', 'lost'] as const).map((each) => [each, outcomes[each]] as const)}
        />
      ) : (
        <span className="muted stage-state">
          {isArchived ? text.archivedStage(count) : `${outcomes[outcome]} · ${text.leadCount(count)}`}
        </span>
      )}
      <span className="row">
        <Button look="quiet" small disabled={isFirst} label={`${text.earlier}: ${label}`} onClick={() => onMove(-1)} icon="left" />
        <Button look="quiet" small disabled={isLast} label={`${text.later}: ${label}`} onClick={() => onMove(1)} icon="right" />
        {id === undefined ? (
          <Button look="quiet" small icon="trash" label={`${text.remove}: ${label}`} onClick={onRemove} />
        ) : (
          <Button
            look="quiet"
            small
            icon={isArchived ? 'refresh' : 'trash'}
            label={`${isArchived ? text.useStage : text.archiveStage}: ${label}`}
            onClick={() => onChange({ isArchived: !isArchived })}
          />
        )}
      </span>
    </li>
  );
};
