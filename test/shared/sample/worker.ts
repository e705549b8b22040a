import { consume } from '../../../shared/queue/consume.ts';
import { noteQueue } from './contract.ts';

/** What the worker was given, in order: `<note>:<attempt>`. */
export const worked: string[] = [];

export const handler = consume(noteQueue, async ({ note }, { attempt }) => {
  worked.push(`${note}:${attempt}`);
  if (note === 'breaks') throw new Error('This one always fails.');
  if (note === 'second time' && attempt === 1) throw new Error('This one fails once.');
});
