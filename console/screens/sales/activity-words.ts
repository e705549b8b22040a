import type { Answer } from '../../data/client.ts';
import type { salesText } from '../../text/sales.ts';
import type { TextOf } from '../../text/text.ts';

type Activity = Pick<Answer<'listLeadActivities'>['data'][number], 'type' | 'data'>;
type Text = TextOf<typeof salesText>;

/** What happened to a lead, in words; undefined for a kind that this page does not know. */
export const activityWords = ({ type, data }: Activity, text: Text): string | undefined => {
  const [from, to] = [data['from_name'], data['to_name']];
  if (type === 'stage.changed') {
    if (typeof to !== 'string') return text.stageChanged;
    return typeof from === 'string' ? text.movedFromTo(from, to) : text.moved(to);
  }
  return (
    {
      'lead.created': text.leadCreated,
      'lead.updated': text.leadUpdated,
      'lead.deleted': text.leadDeleted,
      'lead.restored': text.leadRestored,
      'owner.changed': text.ownerChanged,
      'note.added': text.noteAdded,
      'note.updated': text.noteUpdated,
      'note.deleted': text.noteDeleted,
      'message.linked': text.messageLinked,
      'task.created': text.taskCreated,
      'task.updated': text.taskUpdated,
      'task.completed': text.taskCompleted,
      'task.cancelled': text.taskCancelled,
    } as Readonly<Record<string, string>>
  )[type];
};
