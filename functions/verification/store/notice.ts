import * as z from 'zod';
import { hourMs } from '../../../shared/runtime/clock.ts';
import { all, any, below, missing } from '../../../shared/table/condition.ts';
import { entity } from '../../../shared/table/entity.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { sortable, tenant } from '../../../shared/table/schema.ts';

interface NoticeHourId {
  companyId: number;
  userId: number;
  /** Hours since 1970. */
  hour: number;
}

const noticeHourEntity = entity({
  name: 'notice-hour',
  purpose: 'The mails to a user in an hour about what was made that lets someone in',
  attributes: z.looseObject({ companyId: z.int(), userId: z.int(), hour: z.int(), count: z.int().optional() }),
  key: ({ companyId, userId, hour }: NoticeHourId) => ({ pk: `${tenant(companyId)}#NOTICE`, sk: `${sortable(userId)}#${sortable(hour)}` }),
  idOf: ({ companyId, userId, hour }) => ({ companyId, userId, hour }),
  expiresAt: ({ hour }) => expiryOf(hour),
  example: { pk: 'C#<company>#NOTICE', sk: '<user>#<hour>' },
});

/** Where a message is delivered again, its hour must be there still. */
const expiryOf = (hour: number): number => ((hour + 48) * hourMs) / 1_000;

export interface Notice {
  companyId: number;
  userId: number;
  at: number;
  change: string;
}
const hourOf = ({ companyId, userId, at }: Notice): NoticeHourId => ({ companyId, userId, hour: Math.floor(at / hourMs) });

export const claimNotice = pattern(
  { question: 'may this mail leave; no other worker sends it', entity: 'notice-hour', by: 'UpdateItem', units: '1 WRU' },
  async (notice: Notice, most: number): Promise<boolean> => {
    const id = hourOf(notice);
    const field = `sent:${notice.change}` as const;
    const written = await noticeHourEntity.change(
      id,
      { set: { ...id, ttl: expiryOf(id.hour) }, add: { count: 1, [field]: 1 } },
      all(missing(field), any(missing('count'), below('count', most))),
    );
    return written.done;
  },
);

export const releaseNotice = pattern(
  { question: 'a mail did not leave', entity: 'notice-hour', by: 'UpdateItem', units: '1 WRU' },
  async (notice: Notice): Promise<void> => {
    await noticeHourEntity.change(hourOf(notice), { add: { count: -1 }, remove: [`sent:${notice.change}`] });
  },
);
