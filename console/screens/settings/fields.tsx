import { type JSX, useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { ContactField } from '../../../client/client.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Badge, Button, Empty, Loading } from '../../components/basics.tsx';
import { CheckField, LongTextField, problemOf, SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Icon } from '../../components/icons.tsx';
import { Menu } from '../../components/menu.tsx';
import { Page } from '../../components/page.tsx';
import { ProblemCard } from '../../components/problem.tsx';
import { type Column, CsvButton, Table } from '../../components/table.tsx';
import { api } from '../../data/client.ts';
import { useWrite } from '../../data/forms.ts';
import { linesOf } from '../../data/lines.ts';
import { read, refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.ts';

type Opened = { dialog: 'new' } | { dialog: 'edit' | 'delete'; field: ContactField } | undefined;
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
  const { data, error, isPending, refetch } = useQuery(read('listFields'));
  const [opened, setOpened] = useState<Opened>();
  useInspectable({ title: text.fields, object: data?.data, call: { operation: 'listFields', input: {} } });
  const rows = data?.data ?? [];
  const close = (): void => setOpened(undefined);
  const columns = useMemo(
    (): Column<ContactField>[] => [
      {
        id: 'name',
        name: text.name,
        width: 'minmax(8rem, 2fr)',
        value: ({ name }) => name,
        cell: ({ name, required }) => (
          <span className="row">
            <strong className="cut" title={name}>
              {name}
            </strong>
            {required && <Badge look="info">{text.requiredShort}</Badge>}
          </span>
        ),
      },
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
      {
        id: 'status',
        name: text.status,
        width: '6rem',
        value: ({ is_active }) => (is_active ? text.active : text.inactive),
        cell: ({ is_active }) => <Badge look={is_active ? 'good' : ''}>{is_active ? text.active : text.inactive}</Badge>,
        isExtra: true,
      },
      {
        id: 'actions',
        name: '',
        width: '2rem',
        value: () => '',
        cell: (field) =>
          mayWrite ? (
            <Menu
              label={`${text.actions}: ${field.name}`}
              className="button quiet icon small"
              trigger={<Icon name="more" />}
              entries={[
                { id: 'edit', label: text.edit, icon: 'edit' },
                { id: 'delete', label: text.deleteField, icon: 'trash', danger: true },
              ]}
              onSelect={(id) => setOpened({ dialog: id as 'edit' | 'delete', field })}
            />
          ) : null,
      },
    ],
    // what the kinds are called changes with the text alone
    // oxlint-disable-next-line react/exhaustive-deps
    [text, mayWrite],
  );
  return (
    <Page
      title={text.fields}
      isTable
      actions={
        <>
          <CsvButton name="fields" columns={columns.slice(0, -1)} rows={rows} />
          {mayWrite && (
            <Button look="primary" icon="plus" onClick={() => setOpened({ dialog: 'new' })}>
              {text.fieldNew}
            </Button>
          )}
        </>
      }
    >
      {error && <ProblemCard error={error} onRetry={() => void refetch()} />}
      {isPending && !error && <Loading />}
      {data && rows.length === 0 && (
        <Empty icon="list" title={text.noFields}>
          <p>{text.noFieldsHint}</p>
          {mayWrite && (
            <Button look="primary" icon="plus" onClick={() => setOpened({ dialog: 'new' })}>
              {text.fieldNew}
            </Button>
          )}
        </Empty>
      )}
      {rows.length > 0 && <Table label={text.fields} columns={columns} rows={rows} keyOf={({ id }) => id} />}
      {opened?.dialog === 'new' && <FieldForm onClose={close} />}
      {opened?.dialog === 'edit' && <FieldForm field={opened.field} onClose={close} />}
      {opened?.dialog === 'delete' && <DeleteField field={opened.field} onClose={close} />}
    </Page>
  );
};
export default Fields;

const FieldForm = ({ field, onClose }: { field?: ContactField; onClose: () => void }): JSX.Element => {
  const text = useText(settingsText);
  const kinds = useKinds();
  const [name, setName] = useState(field?.name ?? '');
  const [key, setKey] = useState('');
  const [type, setType] = useState<Kind>(field?.type ?? 'text');
  const [options, setOptions] = useState(field?.options.join('\n') ?? '');
  const [required, setRequired] = useState(field?.required ?? false);
  const [isActive, setActive] = useState(field?.is_active ?? true);
  const suggested = name
    .trim()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9 _]/g, '')
    .replaceAll(' ', '_');
  const save = useWrite(
    (_: undefined, call): Promise<unknown> => {
      const body = { name: name.trim(), type, required, is_active: isActive, ...(type === 'select' ? { options: linesOf(options) } : {}) };
      return field
        ? api.updateField({ params: { id: field.id }, body }, call)
        : api.createField({ body: { ...body, key: key.trim() === '' ? suggested : key.trim() } }, call);
    },
    () => {
      void refresh('listFields');
      onClose();
    },
  );
  return (
    <FormDialog
      title={field?.name ?? text.fieldNew}
      {...(field ? {} : { action: text.fieldCreate })}
      write={save}
      fields={['name', 'key', 'type', 'options', 'required']}
      isDisabled={name.trim() === ''}
      onSubmit={() => save.run(undefined)}
      onClose={onClose}
    >
      <TextField label={text.name} value={name} onText={setName} problem={problemOf(save.error, 'name')} />
      {!field && (
        <TextField
          label={text.key}
          hint={text.keyHint}
          value={key}
          placeholder={suggested}
          onText={setKey}
          problem={problemOf(save.error, 'key')}
          spellCheck={false}
        />
      )}
      <SelectField
        label={text.type}
        value={type}
        onText={setType}
        choices={Object.entries(kinds) as [Kind, string][]}
        problem={problemOf(save.error, 'type')}
      />
      {type === 'select' && (
        <LongTextField
          label={text.options}
          hint={text.optionsHint}
          value={options}
          onText={setOptions}
          problem={problemOf(save.error, 'options')}
        />
      )}
      <CheckField label={text.required} checked={required} onCheck={setRequired} />
      {field && <CheckField label={text.isActive} checked={isActive} onCheck={setActive} />}
    </FormDialog>
  );
};

const DeleteField = ({ field, onClose }: { field: ContactField; onClose: () => void }): JSX.Element => {
  const text = useText(settingsText);
  const remove = useWrite(
    (_: undefined, call) => api.deleteField({ params: { id: field.id } }, call),
    () => {
      void refresh('listFields');
      onClose();
    },
  );
  return (
    <FormDialog
      title={`${text.deleteField}: ${field.name}`}
      action={text.deleteField}
      isDanger
      write={remove}
      onSubmit={() => remove.run(undefined)}
      onClose={onClose}
    >
      <p>{text.deleteFieldText}</p>
    </FormDialog>
  );
};
