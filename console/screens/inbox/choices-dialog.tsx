import { type JSX, useState } from 'react';
import type { Input } from '../../data/client.ts';
import { Button } from '../../components/basics.tsx';
import { LongTextField, SelectField, TextField } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { inboxText } from '../../text/inbox.ts';
import { openedText } from '../../text/opened.ts';
import { receivedText } from '../../text/received.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.ts';
import { type Place, placeIn } from './place.ts';

/** What the contact is requested to send by a press, by the kind of the dialog. */
const requests = { location: 'location_request', phone: 'contact_request' } as const;
type Request = keyof typeof requests;
type Kind = 'buttons' | 'list' | 'link' | 'place' | Request;
const isRequest = (kind: Kind): kind is Request => Object.hasOwn(requests, kind);
interface Row {
  title: string;
  description: string;
}
/** What stands below the text, or in its place, in the form of sendText, sendList, sendInteractive and sendLocation. */
export type Choices =
  | { place: Place & { name?: string; address?: string } }
  | { footer?: string; buttons: { title: string }[] }
  | { footer?: string; button_name: string; button_url: string }
  | { footer?: string; action: Input<'sendList'>['body']['action'] }
  | { interactive: { type: (typeof requests)[Request] } };

/** The provider's limits: docs of sendText and sendList. */
const mostRows: Readonly<Record<Kind, number>> = { buttons: 3, list: 10, link: 3, place: 0, location: 0, phone: 0 };
const most = { buttonTitle: 20, rowTitle: 24, rowDescription: 72, footer: 60, placeName: 1_000 };
const empty: Row = { title: '', description: '' };

/** What is filled in of a place. */
interface Where {
  place: string;
  name: string;
  address: string;
}

const placeOf = ({ place, name, address }: Where): Choices | undefined => {
  const found = placeIn(place);
  if (!found) return undefined;
  const words = { name: name.trim(), address: address.trim() };
  return {
    place: { ...found, ...(words.name === '' ? {} : { name: words.name }), ...(words.address === '' ? {} : { address: words.address }) },
  };
};

interface Below {
  rows: readonly Row[];
  button: string;
  link: string;
  footer: string;
  where: Where;
}

/** What stands below a text, as far as it is filled in; undefined while something is missing. */
const choicesOf = (kind: Kind, { rows, button, link, footer, where }: Below): Choices | undefined => {
  if (kind === 'place') return placeOf(where);
  if (isRequest(kind)) return { interactive: { type: requests[kind] } };
  const below = footer.trim() === '' ? {} : { footer: footer.trim() };
  const filled = filledIn(rows);
  const name = button.trim();
  if (kind === 'link')
    return name !== '' && /^https:\/\/\S+\.\S+$/.test(link.trim()) ? { ...below, button_name: name, button_url: link.trim() } : undefined;
  if (filled.length === 0 || hasDouble(filled)) return undefined;
  if (kind === 'buttons') return { ...below, buttons: filled.map(({ title }) => ({ title })) };
  const listed = filled.map(({ title, description }, index) => ({
    id: `row_${index + 1}`,
    title,
    ...(description === '' ? {} : { description }),
  }));
  return name === '' ? undefined : { ...below, action: { button: name, sections: [{ rows: listed }] } };
};

const filledIn = (rows: readonly Row[]): Row[] =>
  rows.map(({ title, description }) => ({ title: title.trim(), description: description.trim() })).filter(({ title }) => title !== '');

const hasDouble = (filled: readonly Row[]): boolean => new Set(filled.map(({ title }) => title)).size < filled.length;

interface ChoicesDialogProps {
  message: string;
  onSend: (message: string, choices: Choices) => void;
  onClose: () => void;
}

/** A message that the contact answers with a press: up to three buttons, a list of up to ten rows, a link, or a request for the location or number; or a place. */
const ChoicesDialog = ({ message, onSend, onClose }: ChoicesDialogProps): JSX.Element => {
  const text = useText(inboxText);
  const received = useText(receivedText);
  const opened = useText(openedText);
  const [body, setBody] = useState(message);
  const [kind, setKind] = useState<Kind>('buttons');
  const [rows, setRows] = useState<readonly Row[]>([empty]);
  const [button, setButton] = useState('');
  const [link, setLink] = useState('https://');
  const [footer, setFooter] = useState('');
  const [where, setWhere] = useState<Where>({ place: '', name: '', address: '' });
  const shown = rows.slice(0, mostRows[kind]);
  const choices = choicesOf(kind, { rows: shown, button, link, footer, where });
  const isPlace = kind === 'place';
  return (
    <FormDialog
      title={text.choices}
      action={text.send}
      write={{ isPending: false, error: undefined }}
      isDisabled={(body.trim() === '' && !isPlace) || choices === undefined}
      onSubmit={() => choices && onSend(isPlace ? where.name.trim() || where.place.trim() : body.trim(), choices)}
      onClose={onClose}
    >
      {!isPlace && (
        <LongTextField label={text.message} value={body} onText={setBody} rows={3} maxLength={kind === 'list' ? 4_096 : 1_024} dir="auto" />
      )}
      <SelectField
        label={opened.choicesKind}
        value={kind}
        onText={setKind}
        choices={[
          ['buttons', opened.choicesButtons],
          ['list', opened.choicesList],
          ['link', opened.choicesLink],
          ['place', opened.choicesPlace],
          ['location', received.requestsLocation],
          ['phone', received.requestsPhone],
        ]}
      />
      {(kind === 'list' || kind === 'link') && (
        <TextField
          label={kind === 'list' ? opened.choicesOpens : opened.choicesLabel}
          value={button}
          onText={setButton}
          maxLength={most.buttonTitle}
          dir="auto"
        />
      )}
      {kind === 'link' && <TextField label={opened.choicesAddress} type="url" value={link} onText={setLink} maxLength={2_000} />}
      {(kind === 'buttons' || kind === 'list') && <Rows kind={kind} rows={shown} onRows={setRows} />}
      {isPlace && <WhereFields where={where} onWhere={setWhere} />}
      {!isRequest(kind) && !isPlace && (
        <TextField label={opened.choicesFooter} value={footer} onText={setFooter} maxLength={most.footer} dir="auto" />
      )}
    </FormDialog>
  );
};
export default ChoicesDialog;

/** A place as people have it at hand: two numbers, or the link of a map. */
const WhereFields = ({ where, onWhere }: { where: Where; onWhere: (where: Where) => void }): JSX.Element => {
  const opened = useText(openedText);
  const isWrong = where.place.trim() !== '' && placeIn(where.place) === undefined;
  return (
    <>
      <TextField
        label={opened.placeWhere}
        hint={opened.placeHint}
        problem={isWrong ? opened.placeWrong : undefined}
        dir="ltr"
        value={where.place}
        onText={(place) => onWhere({ ...where, place })}
      />
      <TextField
        label={opened.placeName}
        dir="auto"
        maxLength={most.placeName}
        value={where.name}
        onText={(name) => onWhere({ ...where, name })}
      />
      <TextField
        label={opened.placeAddress}
        dir="auto"
        maxLength={most.placeName}
        value={where.address}
        onText={(address) => onWhere({ ...where, address })}
      />
    </>
  );
};

interface RowsProps {
  kind: 'buttons' | 'list';
  rows: readonly Row[];
  onRows: (rows: readonly Row[]) => void;
}

/** The buttons, or the rows of the list: written, added and removed. */
const Rows = ({ kind, rows, onRows }: RowsProps): JSX.Element => {
  const opened = useText(openedText);
  const shell = useText(shellText);
  const change = (index: number, changes: Partial<Row>): void =>
    onRows(rows.map((row, nth) => (nth === index ? { ...row, ...changes } : row)));
  const field = (index: number, name: keyof Row, label: string, maxLength: number): JSX.Element => (
    <input
      className="input grow"
      dir="auto"
      aria-label={label}
      placeholder={label}
      maxLength={maxLength}
      value={rows[index]?.[name] ?? ''}
      onChange={({ target }) => change(index, { [name]: target.value })}
    />
  );
  return (
    <fieldset className="field choice-rows">
      <legend>{kind === 'list' ? opened.choicesRows : opened.choicesButtons}</legend>
      {rows.map((_, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- rows have no other name
        <div key={index} className="row">
          {field(index, 'title', opened.choiceTitle(index + 1), kind === 'list' ? most.rowTitle : most.buttonTitle)}
          {kind === 'list' && field(index, 'description', opened.choiceDescription(index + 1), most.rowDescription)}
          <Button
            look="quiet"
            small
            icon="close"
            label={shell.remove}
            disabled={rows.length === 1}
            onClick={() => onRows(rows.filter((__, nth) => nth !== index))}
          />
        </div>
      ))}
      {hasDouble(filledIn(rows)) && (
        <span className="problem" role="alert">
          {opened.choicesDouble}
        </span>
      )}
      {rows.length < mostRows[kind] && (
        <Button small icon="plus" onClick={() => onRows([...rows, empty])}>
          {opened.choiceAdd}
        </Button>
      )}
    </fieldset>
  );
};
