import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import * as z from 'zod';
import { toItem } from '../functions/contacts/contract/stored.ts';
import { contactEntity } from '../functions/contacts/store/contact.ts';
import { type Product, startProduct } from '../test/support/product.ts';
import { openDirectWriter } from './direct-writes.ts';
import { type Contact, generatedContacts, loadContacts, loadedContact, write, writingDirectly } from './large-contacts.ts';
import { type LoadedCrm, loadCrm } from './large-crm.ts';
import { loadConversations, seldomAssigned } from './large-inbox.ts';
import { writeSearchSnapshot } from './large-search.ts';
import { loadShop } from './large-shop.ts';
import { asOperator } from './running.ts';

/** How much of everything a large company has, for so many contacts: of a million, 100,000 conversations, 50,000 leads and 100,000 orders. */
export const sizesFor = (contacts: number) => ({
  contacts,
  conversations: Math.ceil(contacts / 10),
  leads: Math.ceil(contacts / 20),
  tasks: Math.ceil(contacts / 10),
  orders: Math.ceil(contacts / 10),
  products: Math.ceil(contacts / 50),
  carts: Math.ceil(contacts / 100),
  categories: Math.min(200, Math.ceil(contacts / 100)),
});
export type CompanySizes = ReturnType<typeof sizesFor>;

/** What queries of a large company can name. */
export interface LargeCompany {
  crm: LoadedCrm;
  seldomAssigned: number;
}

/**
 * A product that runs, with its first company filled. With a folder, what was filled is stored there: the next call begins with a copy of it, as long
 * as the stored data are the same.
 */
export const startLargeCompany = async (sizes: CompanySizes, folder?: string): Promise<{ product: Product; company: LargeCompany }> => {
  const stored = folder === undefined ? undefined : join(folder, 'company.json');
  if (folder !== undefined && stored !== undefined && existsSync(stored)) {
    const prepare = (fresh: string): void => cpSync(folder, fresh, { recursive: true });
    return {
      product: await startProduct({ enforcesWindow: true, prepare }),
      company: JSON.parse(readFileSync(stored, 'utf8')) as LargeCompany,
    };
  }
  const product = await startProduct({ enforcesWindow: true });
  const company = await fillLargeCompany(product, sizes);
  if (folder !== undefined && stored !== undefined) {
    await product.idle(600);
    cpSync(product.folder, folder, { recursive: true, filter: (file) => !basename(file).startsWith(tableFile) });
    const table = new DatabaseSync(join(product.folder, tableFile), { readOnly: true });
    await backup(table, join(folder, tableFile));
    table.close();
    writeFileSync(stored, JSON.stringify(company));
  }
  return { product, company };
};

/** The emulator's file in the product's folder. The product goes on while it is copied. */
const tableFile = 'dynamodb.db';

/**
 * Fills the product's first company, in the process of the caller: the items beside the emulator, and the rows that follow from them by the product's own
 * rules. Its campaigns, templates, users and numbers are the demo's.
 */
const fillLargeCompany = (product: Product, sizes: CompanySizes): Promise<LargeCompany> =>
  asOperator(product, async () => {
    const [demo] = product.demo.companies;
    if (!demo) throw new Error('The demo has no company.');
    const { id: companyId, users } = demo;
    const writer = openDirectWriter(join(product.folder, tableFile));
    const sample = contactEntity.stored(toItem(loadedContact(companyId, 1, generatedContacts()())));
    await write([sample]);
    writer.check(z.object({ pk: z.string(), sk: z.string() }).parse(sample));
    // what follows from it is overwritten
    await product.idle(600);
    try {
      return await writingDirectly(writer, () => loadAll(companyId, users, sizes));
    } finally {
      writer.close();
    }
  });

async function loadAll(companyId: number, users: Record<'owner' | 'admin' | 'member', number>, sizes: CompanySizes): Promise<LargeCompany> {
  const began = performance.now();
  const done = (what: string): void => console.error(`  ${what} after ${Math.round((performance.now() - began) / 1_000)} s`);
  await loadContacts(companyId, sizes.contacts);
  done(`${sizes.contacts} contacts`);
  const next = generatedContacts();
  const customers: Contact[] = [];
  await writeSearchSnapshot(companyId, sizes.contacts, Date.now(), (id) => {
    const contact = next();
    if (id <= sizes.conversations) customers.push(contact);
    return loadedContact(companyId, id, contact);
  });
  done('their search snapshot');
  await loadConversations(companyId, users, sizes.conversations);
  done(`${sizes.conversations} conversations`);
  const crm = await loadCrm(companyId, users, sizes, Date.now());
  done(`${sizes.leads} leads, ${sizes.tasks} tasks`);
  await loadShop(companyId, sizes, customers, Date.now());
  done(`${sizes.orders} orders`);
  return { crm, seldomAssigned };
}
