import { type JSX, useMemo } from 'react';
import { useParams } from '@tanstack/react-router';
import { mostOfNumber as most } from '../../../functions/messaging/domain/number-limits.ts';
import { useInspectable } from '../../app/inspected.ts';
import { Button, Copyable } from '../../components/basics.tsx';
import { menus, opening, type RowAction } from '../../components/columns.tsx';
import { Dialog, useDialog } from '../../components/dialog.tsx';
import { LongTextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { ConfirmDialog, FormDialog } from '../../components/form-dialog.tsx';
import { TablePage } from '../../components/table-page.tsx';
import { toast } from '../../components/toasts.tsx';
import { type Answer, api } from '../../data/client.ts';
import { lengthOf } from '../../data/number-tools.ts';
import { useRows } from '../../data/pages.ts';
import { refresh } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { numberToolsText } from '../../text/number-tools.ts';
import { settingsText } from '../../text/settings.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';
import { NumberNav, useTitleOf } from './number-nav.tsx';
import { useWithin } from './within.ts';

type NumberLink = Answer<'createNumberLink'>['data'];
type Row = NumberLink & { id: string };

/** The short links of a number: by each, or its QR code, a customer begins a conversation with a text that is written already. */
const NumberLinks = (): JSX.Element => {
  const text = useText(numberToolsText);
  const settings = useText(settingsText);
  const mayWrite = useMay('admin');
  const { id } = useParams({ from: '/shell/settings/numbers/$id/links' });
  const input = { params: { id }, query: {} };
  const { rows: links, hasMore, readOn, ...query } = useRows('listNumberLinks', input);
  const rows = useMemo(() => links.map((link): Row => ({ ...link, id: link.url })), [links]);
  const { dialog, ...actions } = useLinkActions(id);
  const title = useTitleOf(id, settings.numberLinks, text.linksOf);
  useInspectable({ title, subject: `number:${id}`, call: { operation: 'listNumberLinks', input } });
  const message = { id: 'message', name: text.message, width: 'minmax(8rem, 2fr)', value: (row: Row) => row.message };
  const edit = (url: string): void => {
    const link = rows.find((row) => row.id === url);
    if (link) actions.edit(link);
  };
  return (
    <TablePage
      title={title}
      file="links"
      query={query}
      rows={rows}
      columns={[
        mayWrite ? opening<Row>(message, edit, { isPlain: true }) : message,
        { id: 'url', name: text.link, width: 'minmax(7rem, 1.4fr)', value: ({ url }) => url, cell: ({ url }) => <Copyable value={url} /> },
        {
          id: 'qr',
          name: text.qrCode,
          width: '9rem',
          value: ({ qr_image_url: image }) => image,
          cell: ({ qr_image_url: image }) => image !== null && <QrCode image={image} />,
          isExtra: true,
        },
        menus<Row>(
          settings.actions,
          (link) => link.message,
          (link) => entriesOf(link, mayWrite, actions, text),
        ),
      ]}
      filters={<NumberNav id={id} />}
      create={mayWrite ? { label: text.linkNew, onCreate: actions.create } : undefined}
      empty={{ icon: 'link', title: text.noLinks, hint: text.noLinksHint }}
      hasMore={hasMore}
      onEnd={readOn}
    >
      {dialog}
    </TablePage>
  );
};
export default NumberLinks;

/** The picture is of the provider's host, which no page of the console reads: it opens beside it. */
const QrCode = ({ image }: { image: string }): JSX.Element => {
  const text = useText(numberToolsText);
  return (
    <a href={image} target="_blank" rel="noreferrer">
      {text.qrOpen}
    </a>
  );
};

interface LinkActions {
  edit: (link: NumberLink) => void;
  remove: (link: NumberLink) => void;
}

const entriesOf = (
  link: NumberLink,
  mayWrite: boolean,
  { edit, remove }: LinkActions,
  text: Readonly<Record<'qrOpen' | 'linkEdit' | 'linkDelete', string>>,
): RowAction[] => {
  const { qr_image_url: image } = link;
  const show: RowAction[] =
    image === null ? [] : [{ id: 'qr', label: text.qrOpen, icon: 'image', run: () => void window.open(image, '_blank', 'noreferrer') }];
  if (!mayWrite) return show;
  return [
    ...show,
    { id: 'edit', label: text.linkEdit, icon: 'edit', run: () => edit(link) },
    { id: 'delete', label: text.linkDelete, icon: 'trash', danger: true, run: () => remove(link) },
  ];
};

/** What is done to links in dialogs. */
const useLinkActions = (id: number) => {
  const text = useText(numberToolsText);
  const { dialog, open, close } = useDialog();
  const done = (words: string): void => {
    close();
    toast(words);
    void refresh('listNumberLinks');
  };
  const made = (link: NumberLink): void => {
    open(<LinkMade link={link} onClose={close} />);
    void refresh('listNumberLinks');
  };
  return {
    dialog,
    create: (): void => open(<LinkForm id={id} link={undefined} onDone={made} onClose={close} />),
    edit: (link: NumberLink): void => open(<LinkForm id={id} link={link} onDone={() => done(text.linkChanged)} onClose={close} />),
    remove: (link: NumberLink): void =>
      open(
        <ConfirmDialog
          title={text.linkDelete}
          action={text.linkDelete}
          send={(call) => api.deleteNumberLink({ params: { id, code: link.code } }, call)}
          onDone={() => done(text.linkDeleted)}
          onClose={close}
        >
          <p dir="auto">{link.message}</p>
          <p className="muted">{text.linkDeleteText}</p>
        </ConfirmDialog>,
      ),
  };
};

interface LinkFormProps {
  id: number;
  link: NumberLink | undefined;
  onDone: (link: NumberLink) => void;
  onClose: () => void;
}

const LinkForm = ({ id, link, onDone, onClose }: LinkFormProps): JSX.Element => {
  const text = useText(numberToolsText);
  const within = useWithin();
  const { values, field, submitting } = useForm(
    { message: link?.message ?? '' },
    ({ message }, call): Promise<{ data: NumberLink }> => {
      const body = { message: message.trim() };
      return link
        ? api.updateNumberLink({ params: { id, code: link.code }, body }, call)
        : api.createNumberLink({ params: { id }, body }, call);
    },
    ({ data }) => onDone(data),
  );
  const length = lengthOf(values.message);
  return (
    <FormDialog
      {...submitting}
      title={link ? text.linkEdit : text.linkNew}
      action={link ? undefined : text.linkCreate}
      isDisabled={length === 0 || length > most.linkMessage || (link !== undefined && !submitting.isChanged)}
      onClose={onClose}
    >
      <LongTextField label={text.message} dir="auto" {...within(field('message'), most.linkMessage, text.messageHint)} />
      {link && <p className="muted">{text.messageSame}</p>}
    </FormDialog>
  );
};

/** A link that was just made: to copy, and its QR code. */
const LinkMade = ({ link: { url, message, qr_image_url: image }, onClose }: { link: NumberLink; onClose: () => void }): JSX.Element => {
  const text = useText(numberToolsText);
  const shell = useText(shellText);
  return (
    <Dialog
      title={text.linkMade}
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          {shell.close}
        </Button>
      }
    >
      <p>{text.linkMadeText}</p>
      <p dir="auto">{message}</p>
      <Copyable value={url} />
      {image !== null && (
        <p>
          <QrCode image={image} />
        </p>
      )}
    </Dialog>
  );
};
