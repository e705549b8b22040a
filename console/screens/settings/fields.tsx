import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { ContactField } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Badge } from '../../components/basics.tsx';
import { badges, menus, type RowAction } from '../../components/columns.tsx';
import { useDialog } from '../../components/dialog.tsx';
import { CheckField, LongTextField, SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { ConfirmDialog, FormDialog } from '../../components/form-dialog.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { api } from '../../data/client.ts';
import { linesOf } from '../../data/lines.ts';
import { read, refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';

type Kind = ContactField['type'];

const useKinds = (): Readonly<Record<Kind, string>> => {
  const text = useText(settingsText);
  return {
    text: text.typeText,
    number: text.typeNumber,
    date: text.typeDate,
    datetime: text.typeDatetime,
    boolean: text.typeBoolean,
    select: text.typeSelect,
    url: text.typeUrl,
    email: text.typeEmail,
  };
};

/** What the company keeps of every contact beside name and phone. */
const Fields = (): JSX.Element => {
  const text = useText(settingsText);
  const kinds = useKinds();
  const mayWrite = useMay('admin');
  const query = useQuery(read('listFields'));
  const { dialog, open, close } = useDialog();
  useInspectable({ title: text.fields, object: query.data?.data, call: { operation: 'listFields', input: {} } });
  const done = (): void => {
    close();
    void refresh('listFields');
  };
  const openForm = (field?: ContactField): void => open(<FieldForm field={field} onClose={close} onDone={done} />);
  const startDelete = ({ id, name }: ContactField): void =>
    open(
      <ConfirmDialog
        title={`${text.deleteField}: ${name}`}
        action={text.deleteField}
        send={(call) => api.deleteField({ params: { id } }, call)}
        onDone={done}
        onClose={close}
      >
        <p>{text.deleteFieldText}</p>
      </ConfirmDialog>,
    );
  const actionsOf = (field: ContactField): RowAction[] => [
    { id: 'edit', label: text.edit, icon: 'edit', run: () => openForm(field) },
    { id: 'delete', label: text.deleteField, icon: 'trash', danger: true, run: () => startDelete(field) },
  ];
  return (
    <TablePage
      title={text.fields}
      file="fields"
      query={query}
      rows={query.data?.data ?? []}
      columns={[
        { id: 'name', name: text.name, width: 'minmax(8rem, 2fr)', value: ({ name }) => name, cell: (field) => <Name field={field} /> },
        {
          id: 'key',
          name: text.key,
          width: 'minmax(6rem, 1fr)',
          value: ({ key }) => key,
          cell: ({ key }) => <code>{key}</code>,
          isExtra: true,
        },
        { id: 'type', name: text.type, width: 'minmax(6rem, 1fr)', value: ({ type }) => kinds[type] },
        { id: 'options', name: text.options, width: 'minmax(8rem, 2fr)', value: ({ options }) => options.join(', '), isExtra: true },
        badges<ContactField>(
          {
            id: 'status',
            name: text.status,
            width: '6rem',
            value: ({ is_active }) => (is_active ? text.active : text.inactive),
            isExtra: true,
          },
          ({ is_active }) => (is_active ? undefined : 'warn'),
        ),
        menus<ContactField>(
          text.actions,
          ({ name }) => name,
          (field) => (mayWrite ? actionsOf(field) : []),
        ),
      ]}
      create={mayWrite ? { label: text.fieldNew, onCreate: () => openForm() } : undefined}
      empty={{ icon: 'list', title: text.noFields, hint: text.noFieldsHint }}
    >
      {dialog}
    </TablePage>
  );
};
export default Fields;

const Name = ({ field: { name, required } }: { field: ContactField }): JSX.Element => {
  const text = useText(settingsText);
  return (
    <span className="row">
      <strong className="cut" title={name}>
        {name}
      </strong>
      {required && <Badge look="info">{text.requiredShort}</Badge>}
    </span>
  );
};

/** The key that a name leads to. */
const keyOf = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9 _]/g, '')
    .replaceAll(' ', '_');

type FieldFormProps = { field: ContactField | undefined; onClose: () => void; onDone: () => void };
const FieldForm = ({ field: known, onClose, onDone }: FieldFormProps): JSX.Element => {
  const text = useText(settingsText);
  const kinds = useKinds();
  const { values, field, check, submitting } = useForm(
    {
      name: known?.name ?? '',
      key: '',
      type: known?.type ?? ('text' as const),
      options: known?.options.join('\n') ?? '',
      required: known?.required ?? false,
      is_active: known?.is_active ?? true,
    },
    ({ key, name, type, options, ...flags }, call): Promise<unknown> => {
      const body = { name: name.trim(), type, ...flags, ...(type === 'select' ? { options: linesOf(options) } : {}) };
      return known
        ? api.updateField({ params: { id: known.id }, body }, call)
        : api.createField({ body: { ...body, key: key.trim() === '' ? keyOf(name) : key.trim() } }, call);
    },
    onDone,
  );
  return (
    <FormDialog
      {...submitting}
      title={known?.name ?? text.fieldNew}
      action={known ? undefined : text.fieldCreate}
      isDisabled={values.name.trim() === ''}
      onClose={onClose}
    >
      <TextField label={text.name} {...field('name')} />
      {!known && <TextField label={text.key} hint={text.keyHint} placeholder={keyOf(values.name)} spellCheck={false} {...field('key')} />}
      <SelectField label={text.type} choices={Object.entries(kinds) as [Kind, string][]} {...field('type')} />
      {values.type === 'select' && <LongTextField label={text.options} hint={text.optionsHint} {...field('options')} />}
      <CheckField label={text.required} {...check('required')} />
      {known && <CheckField label={text.isActive} {...check('is_active')} />}
    </FormDialog>
  );
};
