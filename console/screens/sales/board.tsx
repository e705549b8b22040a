import { type JSX, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { type Answer, api } from '../../data/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Empty } from '../../components/basics.tsx';
import { CheckField, FilterSelect } from '../../components/fields.tsx';
import { FilterText } from '../../components/filter-text.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { Shown } from '../../components/shown.tsx';
import { formatCount, Time } from '../../components/time.tsx';
import { amountText } from '../../components/amount.ts';
import { useDrop } from '../../components/use-drop.ts';
import { useWrite } from '../../data/forms.ts';
import { read, refresh } from '../../data/queries.ts';
import { useFilter } from '../../data/search.ts';
import { useMay, useMe } from '../../data/session.ts';
import { salesText } from '../../text/sales.ts';
import { useLocale, useText } from '../../text/text.ts';
import { LeadDialog } from './lead-dialog.tsx';
import { NewLead } from './new-lead.tsx';
import { PipelineDialog } from './pipeline-dialog.tsx';
import { type BoardLead, useMove } from './use-move.tsx';

type BoardData = Answer<'getBoard'>['data'];
type Stage = BoardData['pipeline']['stages'][number];

/** The leads of a pipeline by stage: seen at once, moved by hand or by a menu, opened with what is to be done. */
const Board = (): JSX.Element => {
  const text = useText(salesText);
  const pipelines = useQuery(read('listPipelines', { query: { limit: 100 } }));
  const active = pipelines.data?.data.filter(({ is_active }) => is_active);
  const first = active?.[0];
  if (active && first) return <OfPipeline pipelines={active} first={first.id} />;
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

const OfPipeline = ({ pipelines, first }: { pipelines: readonly { id: number; name: string }[]; first: number }): JSX.Element => {
  const text = useText(salesText);
  const { id: me } = useMe();
  const mayWrite = useMay('member');
  const isOwner = useMay('owner');
  const [pipeline, setPipeline] = useFilter('in');
  const [search, setSearch] = useFilter('q');
  const [mine, setMine] = useFilter('user');
  const [opened, setOpened] = useFilter('entry');
  const { dialog, open, close } = useDialog();
  const pipeline_id = pipelines.find(({ id }) => String(id) === pipeline)?.id ?? first;
  const input = {
    query: { pipeline_id, limit: 50, ...(mine === undefined ? {} : { owner_id: me }), ...(search === undefined ? {} : { search }) },
  };
  const query = useQuery(read('getBoard', input));
  const board = query.data?.data;
  useInspectable({ title: text.board, call: { operation: 'getBoard', input } });
  const create = (): void =>
    open(
      <NewLead
        pipelineId={pipeline_id}
        onClose={close}
        onDone={({ id }) => {
          close();
          setOpened(String(id));
        }}
      />,
    );
  return (
    <Page
      title={text.board}
      isTable
      actions={
        <>
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
          {mayWrite && (
            <Button look="primary" icon="plus" onClick={create}>
              {text.newLead}
            </Button>
          )}
        </>
      }
      filters={
        <>
          {pipelines.length > 1 && (
            <FilterSelect
              label={text.pipeline}
              value={String(pipeline_id)}
              choices={pipelines.map(({ id, name }) => [String(id), name] as const)}
              onText={setPipeline}
            />
          )}
          <FilterText label={text.search} value={search} onText={setSearch} />
          <CheckField label={text.onlyMine} checked={mine !== undefined} onCheck={(on) => setMine(on ? '1' : undefined)} />
        </>
      }
    >
      <Shown query={query}>{({ data }) => <Columns board={data} onOpen={(id) => setOpened(String(id))} />}</Shown>
      {dialog}
      {opened !== undefined && <LeadDialog id={Number(opened)} onClose={() => setOpened(undefined)} />}
    </Page>
  );
};

const Columns = ({ board: { pipeline, columns }, onOpen }: { board: BoardData; onOpen: (id: number) => void }): JSX.Element => {
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
  return (
    <div className="board">
      {shown.map((stage) => (
        <Column
          key={stage.id}
          stage={stage}
          stages={stages}
          column={columns.find(({ stage_id: id }) => id === stage.id) ?? { stage_id: stage.id, total: 0, values: [], leads: [] }}
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
  isTarget,
  onDrag,
  onDrop,
  onMove,
  onOpen,
}: ColumnProps): JSX.Element => {
  const text = useText(salesText);
  const { tag } = useLocale();
  const { isOver, handlers } = useDrop(() => isTarget, onDrop);
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
          <Card key={lead.id} lead={lead} stages={stages} onDrag={onDrag} onMove={onMove} onOpen={onOpen} />
        ))}
        {leads.length < total && <li className="muted">{text.moreLeads(total - leads.length)}</li>}
      </ul>
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

interface CardProps {
  lead: BoardLead;
  stages: readonly Stage[];
  onDrag: (lead: BoardLead | undefined) => void;
  onMove: (lead: BoardLead, stage: Stage) => void;
  onOpen: (id: number) => void;
}

const Card = ({ lead, stages, onDrag, onMove, onOpen }: CardProps): JSX.Element => {
  const text = useText(salesText);
  const { tag } = useLocale();
  const mayWrite = useMay('member');
  const { title, value, currency, owner, overdue_tasks_count: late, stage_entered_at: since } = lead;
  return (
    <li className="lead-card" draggable={mayWrite} onDragStart={() => onDrag(lead)} onDragEnd={() => onDrag(undefined)}>
      <button type="button" className="row-link" onClick={() => onOpen(lead.id)}>
        <strong className="cut" dir="auto">
          {title}
        </strong>
        <span className="muted numbers">
          {value !== null && currency !== null && `${amountText(tag, value, currency, { maximumFractionDigits: 0 })} · `}
          {owner?.name ?? text.noOwner}
        </span>
        <span className="muted">
          <Time at={since} />
          {late > 0 && <span className="late"> · {text.lateTasks(late)}</span>}
        </span>
      </button>
      {mayWrite && (
        <Menu
          label={`${text.moveTo}: ${title}`}
          className="button quiet icon small"
          trigger={<Icon name="more" />}
          entries={stages.filter(({ id }) => id !== lead.stage_id).map(({ id, name }) => ({ id: String(id), label: name }))}
          onSelect={(chosen) => stages.filter(({ id }) => String(id) === chosen).map((stage) => onMove(lead, stage))}
        />
      )}
    </li>
  );
};
