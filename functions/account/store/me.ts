import { counterEntity } from '../../../shared/table/counter.ts';
import { getTogether, type ReadPart } from '../../../shared/table/batch-get.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { type Company, companyEntity } from './company.ts';
import { type User, userEntity } from './user.ts';

export interface CompanyAndUser<Other> {
  company: Company | undefined;
  user: User | undefined;
  contactCount: number;
  other: Other | undefined;
}

/** `other`: an item of another context, read with them. */
export const getCompanyAndUser = pattern(
  {
    question: 'a company, one of its users and its number of contacts, with its register of pipelines',
    entity: 'company',
    by: 'BatchGetItem',
    units: '2 RRU',
  },
  async <Other>(companyId: number, userId: number, otherPart: ReadPart<Other>): Promise<CompanyAndUser<Other>> => {
    const { company, user, contacts, other } = await getTogether({
      company: companyEntity.getting({ companyId }),
      user: userEntity.getting({ companyId, id: userId }),
      contacts: counterEntity.getting({ companyId, of: 'contact' }),
      other: otherPart,
    });
    return { company, user, contactCount: contacts?.total ?? 0, other };
  },
);
