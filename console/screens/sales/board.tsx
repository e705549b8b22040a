import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Pipeline } from '../../../client/client.ts';
import { type Answer, api } from '../../data/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Empty } from '../../components/basics.tsx';
import { CheckField, FilterSelect } from '../../components/fields.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Shown } from '../../components/shown.tsx';
import { formatCount } from '../../components/time.tsx';
import { amountText } from '../../components/amount.ts';
import { useDrop } from '../../components/use-drop.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useMay, useMe } from '../../data/session.ts';
import { salesText } from '../../text/sales.ts';
import { useLocale, useText } from '../../text/text.ts';
import { useBoardKeys } from './board-keys.ts';
import { LeadCard, type Stage } from './lead-card.tsx';
import { LeadDialog } from './lead-dialog.tsx';
import { type BoardFilter, MoreLeads } from './more-leads.tsx';
import { NewLead } from './new-lead.tsx';
import { NewPipeline } from './new-pipeline.tsx';
import { PipelineDialog } from './pipeline-dialog.tsx';
import { type BoardLead, useMove } from './use-move.tsx';

type BoardData = Answer<'getBoard'>['data'];

/** The leads of a pipeline by stage: seen at once, moved by hand or by a menu, opened with what is to be done. */
const Board = (): JSX.Element => {
  const text = useText(salesText);
  const pipelines = useQuery(read('listPipelines', { query: { limit: 100, archived: true } }));
  const all = pipelines.data?.data;
  const first = all?.find(({ is_active }) => is_active) ?? all?.[0];
  if (all && first) return <OfPipeline pipelines={all} first={first.id} />;
  return (
    <Page title={text.board}>
      <Shown query={pipelines}>{() => <FirstPipeline />}</Shown>
    </Page>
  );
};
export default Board;

/** An owner begins with one of the starter pipelines; others wait for that. */
const FirstPipeline = (): JSX.Element => {
  const text = useText(salesText);
  const isOwner = useMay('owner');
  const create = useWrite(
    (template: 'simple' | 'sales' | 'appointments', call) => api.createPipeline({ body: { template } }, call),
    () => void refresh('listPipelines'),
  );
  const names = { simple: text.starterSimple, sales: text.starterSales, appointments: text.starterAppointments };
  return (
    <Empty icon="chart" title={text.noPipeline}>
      <p>{text.noPipelineHint}</p>
      {create.error && <ProblemCard error={create.error} />}
      {isOwner && (
        <div className="starters">
          {(['simple', 'sales', 'appointments'] as const).map((template) => (
            <Button key={template} isSoftDisabled={create.isPending} onClick={() => create.run(template)}>
              {names[template]}
            </Button>
          ))}
        </div>
      )}
    </Empty>
  );
};

const OfPipeline = ({ pipelines, first }: { pipelines: readonly Pipeline[]; first: number }): JSX.Element => {
  const text = useText(salesText);
  const { id: me } = useMe();
  const mayWrite = useMay('member');
  const [pipeline, setPipeline] = useFilter('in');
  const [search, setSearch] = useFilter('q');
  const [mine, setMine] = useFilter('user');
  const [opened, setOpened] = useFilter('entry');
  const pipeline_id = pipelines.find(({ id }) => String(id) === pipeline)?.id ?? first;
  const filter = { pipeline_id, ...(mine === undefined ? {} : { owner_id: me }), ...(search === undefined ? {} : { search }) };
  const input = { query: { ...filter, limit: 50 } };
  const query = useQuery(read('getBoard', input));
  const board = query.data?.data;
  useInspectable({ title: text.board, call: { operation: 'getBoard', input } });
  const actions = <BoardActions board={board} pipelineId={pipeline_id} onLead={setOpened} onPipeline={setPipeline} />;
  return (
    <Page
      title={text.board}
      isTable
      actions={actions}
      filters={
        <>
          {pipelines.length > 1 && (
            <FilterSelect
              label={text.pipeline}
              value={String(pipeline_id)}
              choices={pipelines.map(({ id, name, is_active }) => [String(id), is_active ? name : text.archivedPipeline(name)] as const)}
              onText={setPipeline}
            />
          )}
          <FilterText label={text.search} value={search} onText={setSearch} />
          <CheckField label={text.onlyMine} checked={mine !== undefined} onCheck={(on) => setMine(on ? '1' : undefined)} />
        </>
      }
    >
      {mayWrite && <p className="muted board-hint">{text.boardKeys}</p>}
      <Shown query={query}>{({ data }) => <Columns board={data} filter={filter} onOpen={(id) => setOpened(String(id))} />}</Shown>
      {opened !== undefined && <LeadDialog id={Number(opened)} onClose={() => setOpened(undefined)} />}
    </Page>
  );
};

interface BoardActionsProps {
  board: BoardData | undefined;
  pipelineId: number;
  onLead: (id: string) => void;
  onPipeline: (id: string) => void;
}

/** A new lead; for an owner, the stages and another pipeline. */
const BoardActions = ({ board, pipelineId, onLead, onPipeline }: BoardActionsProps): JSX.Element => {
  const text = useText(salesText);
  const mayWrite = useMay('member');
  const isOwner = useMay('owner');
  const { dialog, open, close } = useDialog();
  const create = (): void =>
    open(
      <NewLead
        pipelineId={pipelineId}
        onClose={close}
        onDone={({ id }) => {
          close();
          onLead(String(id));
        }}
      />,
    );
  const addPipeline = (): void =>
    open(
      <NewPipeline
        onClose={close}
        onDone={({ id }) => {
          close();
          onPipeline(String(id));
        }}
      />,
    );
  return (
    <>
      {isOwner && <Button onClick={addPipeline}>{text.newPipeline}</Button>}
      {isOwner && board && (
        <Button
          onClick={() =>
            open(
              <PipelineDialog
                pipeline={board.pipeline}
                counts={new Map(board.columns.map(({ stage_id: id, total }) => [id, total]))}
                onClose={close}
              />,
            )
          }
        >
          {text.editPipeline}
        </Button>
      )}
      {mayWrite && board?.pipeline.is_active !== false && (
        <Button look="primary" icon="plus" onClick={create}>
          {text.newLead}
        </Button>
      )}
      {dialog}
    </>
  );
};

interface ColumnsProps {
  board: BoardData;
  filter: BoardFilter;
  onOpen: (id: number) => void;
}

const Columns = ({ board: { pipeline, columns }, filter, onOpen }: ColumnsProps): JSX.Element => {
  const all = pipeline.stages;
  const stages = all.filter(({ is_archived: archived }) => !archived);
  // of an archived stage the leads that it still has are shown, so that they can be moved on
  const shown = all.filter(
    ({ id, is_archived: archived }) => !archived || columns.some((column) => column.stage_id === id && column.total > 0),
  );
  const { move, dialog } = useMove(
    stages,
    columns.flatMap(({ leads }) => leads),
  );
  const [dragged, setDragged] = useState<BoardLead>();
  const keys = useBoardKeys();
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- its cards have the focus, and the arrows walk from one to another
    <div className="board" {...keys}>
      {shown.map((stage) => (
        <Column
          key={stage.id}
          stage={stage}
          stages={stages}
          column={columns.find(({ stage_id: id }) => id === stage.id) ?? { stage_id: stage.id, total: 0, values: [], leads: [] }}
          filter={filter}
          isTarget={!stage.is_archived && dragged !== undefined && dragged.stage_id !== stage.id}
          onDrag={setDragged}
          onDrop={() => dragged && move(dragged, stage)}
          onMove={move}
          onOpen={onOpen}
        />
      ))}
      {dialog}
    </div>
  );
};

interface ColumnProps {
  stage: Stage;
  stages: readonly Stage[];
  column: BoardData['columns'][number];
  filter: BoardFilter;
  /** A lead of another stage is being dragged. */
  isTarget: boolean;
  onDrag: (lead: BoardLead | undefined) => void;
  onDrop: () => void;
  onMove: (lead: BoardLead, stage: Stage) => void;
  onOpen: (id: number) => void;
}

const Column = ({
  stage,
  stages,
  column: { total, values, leads },
  filter,
  isTarget,
  onDrag,
  onDrop,
  onMove,
  onOpen,
}: ColumnProps): JSX.Element => {
  const text = useText(salesText);
  const { tag } = useLocale();
  const [isMore, setMore] = useState(false);
  const { isOver, handlers } = useDrop(() => isTarget, onDrop);
  const ofCards = { stages, onDrag, onMove, onOpen };
  return (
    <section className={`board-column ${isTarget && isOver ? 'dropping' : ''}`} aria-label={stage.name} {...handlers}>
      <header>
        <div className="row">
          <h2 className="grow cut" dir="auto">
            {stage.name}
          </h2>
          <span className="muted numbers">{formatCount(tag, total)}</span>
        </div>
        <Sum values={values} leads={leads} isWhole={leads.length === total} />
      </header>
      <ul>
        {leads.map((lead) => (
          <LeadCard key={lead.id} lead={lead} {...ofCards} />
        ))}
        {isMore && <MoreLeads filter={{ ...filter, stage_id: stage.id }} shown={leads} {...ofCards} />}
      </ul>
      {!isMore && leads.length < total && (
        <div>
          <Button small onClick={() => setMore(true)}>
            {text.moreLeads(total - leads.length)}
          </Button>
        </div>
      )}
    </section>
  );
};

interface SumProps {
  /** Of all leads of the column; null where the API does not know it, as with a search. */
  values: BoardData['columns'][number]['values'];
  leads: readonly BoardLead[];
  isWhole: boolean;
}

/** What the column is worth, by currency: amounts of two currencies are never added. Where all are shown, as they are shown; else as the API says. */
const Sum = ({ values, leads, isWhole }: SumProps): JSX.Element | null => {
  const text = useText(salesText);
  const { tag } = useLocale();
  const sums = new Map<string, number>();
  if (!isWhole && values) for (const { value, currency } of values) sums.set(currency, value);
  else
    for (const { value, currency } of leads) if (value !== null && currency !== null) sums.set(currency, (sums.get(currency) ?? 0) + value);
  if (sums.size === 0) return null;
  const words = [...sums].map(([currency, sum]) => amountText(tag, sum, currency, { maximumFractionDigits: 0 })).join(' + ');
  return <p className="muted numbers">{isWhole || values ? words : text.atLeast(words)}</p>;
};
