import { counterEntity } from '../../../shared/table/counter.ts';
import { getTogether } from '../../../shared/table/batch-get.ts';
import { pattern } from '../../../shared/table/pattern.ts';
import { type Company, companyEntity } from './company.ts';
import { type User, userEntity } from './user.ts';

export interface CompanyAndUser {
  company: Company | undefined;
  user: User | undefined;
  contactCount: number;
}

export const getCompanyAndUser = pattern(
  { question: 'a company, one of its users and its number of contacts', entity: 'company', by: 'BatchGetItem', units: '1.5 RRU' },
  async (companyId: number, userId: number): Promise<CompanyAndUser> => {
    const { company, user, contacts } = await getTogether({
      company: companyEntity.getting({ companyId }),
      user: userEntity.getting({ companyId, id: userId }),
      contacts: counterEntity.getting({ companyId, of: 'contact' }),
    });
    return { company, user, contactCount: contacts?.total ?? 0 };
  },
);
