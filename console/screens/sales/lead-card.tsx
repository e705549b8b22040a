import type { JSX, KeyboardEvent } from 'react';
import type { Answer } from '../../data/client.ts';
import { amountText } from '../../components/amount.ts';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { Time } from '../../components/time.tsx';
import { useMay } from '../../data/session.ts';
import { salesText } from '../../text/sales.ts';
import { useLocale, useText } from '../../text/text.ts';
import type { BoardLead } from './use-move.tsx';

export type Stage = Answer<'getBoard'>['data']['pipeline']['stages'][number];

export interface CardProps {
  lead: BoardLead;
  stages: readonly Stage[];
  onDrag: (lead: BoardLead | undefined) => void;
  onMove: (lead: BoardLead, stage: Stage) => void;
  onOpen: (id: number) => void;
}

/** A lead on the board: opened by a press, moved by hand, by its menu, or by keys (board-keys.ts). */
export const LeadCard = ({ lead, stages, onDrag, onMove, onOpen }: CardProps): JSX.Element => {
  const text = useText(salesText);
  const { tag } = useLocale();
  const mayWrite = useMay('member');
  const { title, value, currency, owner, overdue_tasks_count: late, stage_entered_at: since } = lead;
  const onKey = (event: KeyboardEvent<HTMLElement>): void => {
    const { key, currentTarget } = event;
    if (!mayWrite || event.ctrlKey || event.metaKey || event.altKey) return;
    const stage = /^[1-9]$/.test(key) ? stages[Number(key) - 1] : undefined;
    if (stage && stage.id !== lead.stage_id) onMove(lead, stage);
    else if (key.toLowerCase() === 'm') currentTarget.parentElement?.querySelector<HTMLElement>('[aria-haspopup="menu"]')?.click();
    else return;
    event.preventDefault();
  };
  return (
    <li className="lead-card" data-lead={lead.id} draggable={mayWrite} onDragStart={() => onDrag(lead)} onDragEnd={() => onDrag(undefined)}>
      <button type="button" className="row-link" onClick={() => onOpen(lead.id)} onKeyDown={onKey}>
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
