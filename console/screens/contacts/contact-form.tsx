import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Contact, ContactField } from '../../../client/client.ts';
import { CheckField, SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { api } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { contactsText } from '../../text/contacts.ts';
import { useText } from '../../text/text.ts';

interface ContactFormProps {
  /** Without one, a new contact is made. */
  contact?: Contact;
  onClose: () => void;
  onDone: (contact: { id: number }) => void;
}

/** The values of own fields stand beside the others by these names. */
const ownName = (key: string): `custom.${string}` => `custom.${key}`;
const inputTypes = { text: 'text', number: 'number', date: 'date', datetime: 'datetime-local', url: 'url', email: 'email' } as const;

/** A contact's own words: its name, where it is from, and what the company's own fields say of it. Sends what was changed. */
export const ContactForm = ({ contact, onClose, onDone }: ContactFormProps): JSX.Element => {
  const text = useText(contactsText);
  const own = (useQuery({ ...read('listFields'), staleTime: 5 * 60_000 }).data?.data ?? []).filter(({ is_active }) => is_active);
  const initial = {
    name: contact?.name ?? '',
    phone: '',
    email: contact?.email ?? '',
    city: contact?.city ?? '',
    company: contact?.company ?? '',
    subscribed: contact?.subscribed ?? false,
    ...Object.fromEntries(own.map(({ key }) => [ownName(key), String(contact?.custom[key] ?? '')])),
  };
  const { values, field, check, set, problem, submitting } = useForm(
    initial,
    async (given, call, changed) => {
      const custom = customOf(own, contact ? changed : given);
      const body = {
        ...textsOf(contact ? changed : given),
        // unsaid, a new contact would be what the company's setting makes it, and not what this form shows
        ...(contact && changed.subscribed === undefined ? {} : { subscribed: given.subscribed }),
        ...(Object.keys(custom).length === 0 ? {} : { custom }),
      };
      const { data } = await (contact
        ? api.updateContact({ params: { id: contact.id }, body }, call)
        : api.createContact({ body: { ...body, phone: given.phone.trim() } }, call));
      return data;
    },
    (answered) => {
      void refresh('listContacts', 'getContact', 'listConversations');
      onDone(answered);
    },
  );
  return (
    <FormDialog
      {...submitting}
      title={contact ? text.editContact : text.newContact}
      action={contact ? undefined : text.create}
      isDisabled={!contact && values.phone.trim() === ''}
      onClose={onClose}
    >
      {!contact && <TextField label={text.phone} hint={text.phoneHint} type="tel" {...field('phone')} />}
      <TextField label={text.name} {...field('name')} />
      <TextField label={text.email} type="email" {...field('email')} />
      <TextField label={text.city} {...field('city')} />
      <TextField label={text.company} {...field('company')} />
      {own.map((each) => (
        <OwnField
          key={each.id}
          field={each}
          value={valueOf(values, each.key)}
          problem={problem(ownName(each.key))}
          onText={(value) => set(ownName(each.key) as 'name')(value)}
        />
      ))}
      <CheckField label={text.subscribed} hint={text.subscribedHint} {...check('subscribed')} />
    </FormDialog>
  );
};

const valueOf = (values: object, key: string): string => (values as Record<string, string | undefined>)[ownName(key)] ?? '';

const OwnField = ({
  field: { name, type, options },
  ...rest
}: {
  field: ContactField;
  value: string;
  problem: string | undefined;
  onText: (value: string) => void;
}): JSX.Element => {
  const text = useText(contactsText);
  if (type === 'select')
    return <SelectField label={name} choices={['', ...options].map((each) => [each, each === '' ? '–' : each] as const)} {...rest} />;
  if (type === 'boolean')
    return (
      <SelectField
        label={name}
        choices={[
          ['', '–'],
          ['true', text.yes],
          ['false', text.no],
        ]}
        {...rest}
      />
    );
  return <TextField label={name} type={inputTypes[type]} {...rest} />;
};

/** The plain fields that are there, an emptied one as null. */
const textsOf = (
  given: Partial<Record<'name' | 'email' | 'city' | 'company', string>>,
): Partial<Record<'name' | 'email' | 'city' | 'company', string | null>> =>
  Object.fromEntries(
    (['name', 'email', 'city', 'company'] as const)
      .filter((name) => given[name] !== undefined)
      .map((name) => [name, given[name]?.trim() === '' ? null : given[name]?.trim()]),
  );

/** Own fields as the API takes them: a number as a number, yes or no as such, an emptied one as null. */
const customOf = (own: readonly ContactField[], given: object): Record<string, string | number | boolean | null> =>
  Object.fromEntries(
    own
      .filter(({ key }) => ownName(key) in given)
      .map(({ key, type }) => [key, customValue(type, valueOf(given, key).trim())] as const)
      .filter(([, value]) => value !== undefined),
  );

const customValue = (type: ContactField['type'], value: string): string | number | boolean | null =>
  value === '' ? null : type === 'number' ? Number(value) : type === 'boolean' ? value === 'true' : value;
