import { matchKeyword } from '../../functions/messaging/domain/keyword.ts';

/** The products whose exports the import of contacts reads. docs/moving says where each has its export. */
export const importSources = ['twilio', 'wati', '360dialog', 'chatwoot'] as const;
export type ImportSource = (typeof importSources)[number];

/** A row of an export: cells by the names of their columns, or an object of a JSON file. */
export type ExportRow = Readonly<Record<string, unknown>>;

/** What a row says of a contact. */
export interface ExportedContact {
  phone: string;
  name?: string;
  email?: string;
  city?: string;
  country?: string;
  company?: string;
  groups?: readonly string[];
  /** Undefined: the export says nothing of consent. */
  subscribed?: boolean | undefined;
  /** When that was decided, epoch milliseconds: of two rows the later one counts. */
  decidedAt?: number | undefined;
  custom?: Readonly<Record<string, string>>;
}

/** The contacts of a row: none where it has no phone. */
export const contactsIn = (source: ImportSource, row: ExportRow): ExportedContact[] => readers[source](row);

const readers: Readonly<Record<ImportSource, (row: ExportRow) => ExportedContact[]>> = {
  twilio: contactOfMessage,
  wati: contactOfList,
  '360dialog': contactsOfWebhook,
  chatwoot: contactOfInbox,
};

/** Twilio has no contacts: of its messages, those by WhatsApp, the customer's address, and what the customer decided. */
function contactOfMessage(row: ExportRow): ExportedContact[] {
  const cell = cellsOf(row);
  const isInbound = cell('direction').toLowerCase().startsWith('inbound');
  const address = /^whatsapp:(.+)$/i.exec(cell(isInbound ? 'from' : 'to'))?.[1];
  if (address === undefined) return [];
  const written = isInbound ? matchKeyword(cell('body'), defaults) : undefined;
  // 21610: Twilio refused the message, because the recipient had opted out
  const subscribed = written === undefined ? (cell('errorcode') === '21610' ? false : undefined) : written === 'start';
  return [
    { phone: address, ...named(cell('profilename')), ...decided(subscribed, cell('datesent', 'sentdate', 'datecreated', 'dateupdated')) },
  ];
}

/** A contact of WATI's list, as a file or from its API: attributes are columns there, and `customParams` here. */
function contactOfList(row: ExportRow): ExportedContact[] {
  const cell = cellsOf(row);
  const code = cell('countrycode').replace(/\D/g, '');
  const given = cell('waid', 'whatsappnumber', 'phonenumber', 'phone');
  const digits = given.replace(/\D/g, '');
  if (digits === '') return [];
  const allowed = truthOf(cell('allowbroadcast'));
  const isWhole = given.startsWith('+') || code === '' || digits.startsWith(code);
  const listed = Array.isArray(row['customParams']) ? (row['customParams'] as unknown[]) : [];
  const params = listed.flatMap((each): [string, unknown][] => {
    const { name, value } = (each ?? {}) as { name?: unknown; value?: unknown };
    return typeof name === 'string' ? [[name, value]] : [];
  });
  const columns = Object.entries(row).filter(([name]) => !watiColumns.has(plain(name)));
  return [
    {
      phone: `+${isWhole ? '' : code}${digits}`,
      ...named(cell('fullname', 'name') || [cell('firstname'), cell('lastname')].filter((each) => each !== '').join(' ')),
      ...(cell('email') === '' ? {} : { email: cell('email') }),
      ...(cell('tags') === '' ? {} : { groups: namesIn(cell('tags')) }),
      subscribed: allowed,
      custom: customOf([...columns, ...params]),
    },
  ];
}

/** 360dialog has no contacts: of the webhooks that it passed on, who wrote, and what they decided. */
function contactsOfWebhook(row: ExportRow): ExportedContact[] {
  const entries = listIn(row, 'entry').flatMap((entry) => listIn(entry, 'changes'));
  const values = entries.length > 0 ? entries.map((change) => objectIn(change, 'value')) : [row];
  return values.flatMap((value) => {
    const messages = listIn(value, 'messages');
    return listIn(value, 'contacts').flatMap((contact): ExportedContact[] => {
      const phone = textIn(contact, 'wa_id');
      if (phone === '') return [];
      const message = messages.find((each) => textIn(each, 'from') === phone) ?? {};
      const written = matchKeyword(textIn(objectIn(message, 'text'), 'body'), defaults);
      const subscribed = written === undefined ? undefined : written === 'start';
      const at = Number(textIn(message, 'timestamp')) * 1_000;
      return [{ phone: `+${phone}`, ...named(textIn(objectIn(contact, 'profile'), 'name')), subscribed, decidedAt: at || undefined }];
    });
  });
}

/** A contact of Chatwoot, whose export has any columns of its table; attributes are written as Ruby writes a hash. */
function contactOfInbox(row: ExportRow): ExportedContact[] {
  const cell = cellsOf(row);
  const phone = cell('phonenumber');
  if (phone === '') return [];
  const attributes = { ...hashIn(row['additional_attributes']), ...hashIn(row['custom_attributes']) };
  const { city, country, company_name: company, ...others } = attributes;
  const shown = (own: string, other: unknown): string => own || (typeof other === 'string' ? other : '');
  const values = {
    email: cell('email'),
    city: shown(cell('location'), city),
    country: shown(cell('countrycode'), country),
    company: shown(cell('companyname'), company),
  };
  return [
    {
      phone,
      ...named([cell('name'), cell('middlename'), cell('lastname')].filter((each) => each !== '').join(' ')),
      ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '')),
      ...(cell('labels') === '' ? {} : { groups: namesIn(cell('labels')) }),
      // who is blocked there gets no marketing here
      subscribed: truthOf(cell('blocked')) === true ? false : undefined,
      custom: customOf([['identifier', cell('identifier')], ...Object.entries(others)]),
    },
  ];
}

const defaults = { stop: undefined, start: undefined };

/** Of WATI's columns those that are no attribute of the contact. */
const watiColumns = new Set(
  'id,waid,whatsappnumber,phonenumber,phone,countrycode,fullname,name,firstname,lastname,email,tags,allowbroadcast,allowsms,source,status,contactstatus,created,createdat,lastupdated,lastupdatedat,photo,isdeleted,isinflow,currentflownodeid,teamids,customparams,optedin,wabaid,sellerid,tenantid,channelid,channeltype,displayname'.split(
    ',',
  ),
);

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** The first cell that is not empty, of the columns with these names. */
function cellsOf(row: ExportRow): (...names: readonly string[]) => string {
  const cells = new Map(Object.entries(row).map(([name, value]) => [plain(name), shownText(value)]));
  return (...names) => names.map((name) => cells.get(name) ?? '').find((value) => value !== '') ?? '';
}

const shownText = (value: unknown): string =>
  typeof value === 'string' ? value.trim() : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

const textIn = (value: unknown, name: string): string => shownText(field(value, name));
const objectIn = (value: unknown, name: string): unknown => field(value, name) ?? {};
const listIn = (value: unknown, name: string): unknown[] => {
  const list = field(value, name);
  return Array.isArray(list) ? list : [];
};
const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const named = (name: string): { name?: string } => (name === '' ? {} : { name });
const namesIn = (text: string): string[] =>
  text
    .split(/[,;|]/)
    .map((each) => each.trim())
    .filter((each) => each !== '');

const truthOf = (word: string): boolean | undefined => {
  const lower = word.toLowerCase();
  if (['true', 't', 'yes', 'y', '1'].includes(lower)) return true;
  return ['false', 'f', 'no', 'n', '0'].includes(lower) ? false : undefined;
};

const decided = (subscribed: boolean | undefined, date: string): Pick<ExportedContact, 'subscribed' | 'decidedAt'> => {
  const at = Date.parse(date);
  return { subscribed, ...(Number.isNaN(at) ? {} : { decidedAt: at }) };
};

/** JSON, or a hash as Ruby writes it: `{"plan"=>"gold", "seats"=>nil}`. */
function hashIn(given: unknown): Record<string, unknown> {
  if (typeof given === 'object' && given !== null) return given as Record<string, unknown>;
  if (typeof given !== 'string' || !given.trim().startsWith('{')) return {};
  for (const text of [given, given.replaceAll(/"\s*=>\s*/g, '": ').replaceAll(/: nil\b/g, ': null')])
    try {
      const parsed: unknown = JSON.parse(text);
      return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
    } catch {
      // the next form
    }
  return {};
}

/** Values of own fields by keys that the import takes. */
function customOf(pairs: readonly (readonly [string, unknown])[]): Record<string, string> {
  const taken = pairs.flatMap(([name, value]): [string, string][] => {
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : shownText(value);
    const key = name
      .trim()
      .replaceAll(/[^A-Za-z0-9_ ]/g, '_')
      .replace(/^(?=[^A-Za-z])/, 'field_')
      .slice(0, 50);
    return text === '' || key === '' ? [] : [[key, text.slice(0, 2_000)]];
  });
  return Object.fromEntries(taken);
}
